/*! Sign-up SDK: window.Service.beta with config(), challenge() and signup(fields). No dependencies. */
(() => {
  "use strict";
  const script = document.currentScript;
  const base = script?.src ? new URL(script.src, document.baseURI).origin : location.origin;

  class SignupError extends Error {
    constructor(problem, status) {
      super(problem.detail || "The request failed");
      Object.assign(this, { name: "SignupError", status, code: problem.code, errors: problem.errors || [], retryAfter: problem.retry_after });
    }
  }

  /** No device should compute for longer; a common one needs a hundredth of it. */
  const MOST_MS = 30_000;
  /** A challenge counts for ten minutes: after five the next key press asks for another. */
  const FRESH_MS = 300_000, VALID_MS = 540_000;
  const tooSlow = () => new SignupError({ code: "too_slow", detail: "The calculation took too long on this device" }, 0);

  async function ask(path, options = {}) {
    const answer = await fetch(base + path, { mode: "cors", credentials: "omit", cache: "no-store", ...options });
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new SignupError(body, answer.status);
    return body;
  }

  /** Everything below runs in a worker, or here where no worker may be started. */
  function solver() {
    const bytes = (hex) => Uint8Array.from(hex.match(/../g) || [], (pair) => parseInt(pair, 16));
    const hex = (array) => Array.from(array, (byte) => byte.toString(16).padStart(2, "0")).join("");

    /** PBKDF2 with SHA-256, for pages without https, where browsers do not offer theirs. States and blocks are reused. */
    const K = new Int32Array(64), H = new Int32Array(8), W = new Int32Array(64);
    for (let n = 2, found = 0; found < 64; n++) {
      let prime = true;
      for (let d = 2; d * d <= n; d++) if (n % d === 0) { prime = false; break; }
      if (!prime) continue;
      if (found < 8) H[found] = (Math.sqrt(n) * 0x100000000) | 0;
      K[found++] = (Math.cbrt(n) * 0x100000000) | 0;
    }
    /** Compresses the block in W into `to`, beginning with the state `from`. */
    function compress(from, to) {
      for (let i = 16; i < 64; i++) {
        const x = W[i - 15], y = W[i - 2];
        W[i] = (W[i - 16] + ((x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3) + W[i - 7] + ((y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10)) | 0;
      }
      let a = from[0], b = from[1], c = from[2], d = from[3], e = from[4], f = from[5], g = from[6], h = from[7];
      for (let i = 0; i < 64; i++) {
        const t1 = (h + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + (g ^ (e & (f ^ g))) + K[i] + W[i]) | 0;
        const t2 = (((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + ((a & b) | (c & (a | b)))) | 0;
        h = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
      }
      to[0] = from[0] + a; to[1] = from[1] + b; to[2] = from[2] + c; to[3] = from[3] + d;
      to[4] = from[4] + e; to[5] = from[5] + f; to[6] = from[6] + g; to[7] = from[7] + h;
    }
    /** Reads a block of at most 55 bytes that ends a text of `length` bytes. */
    function read(text, length) {
      const block = new Uint8Array(64), view = new DataView(block.buffer);
      block.set(text);
      block[text.length] = 0x80;
      view.setUint32(60, length * 8);
      for (let i = 0; i < 16; i++) W[i] = view.getInt32(i * 4);
    }
    /** The state after a block of the key, which has at most 64 bytes, mixed with `fill`. */
    function pad(key, fill) {
      const block = new Uint8Array(64).fill(fill), view = new DataView(block.buffer), state = new Int32Array(8);
      key.forEach((byte, i) => (block[i] ^= byte));
      for (let i = 0; i < 16; i++) W[i] = view.getInt32(i * 4);
      compress(H, state);
      return state;
    }
    /** Compresses a digest, the only block after that of the key. */
    function digest(from, state) {
      W.set(state);
      W[8] = 0x80000000;
      for (let i = 9; i < 15; i++) W[i] = 0;
      W[15] = 768;
      compress(from, state);
    }
    function slowly(password, salt, cost, length) {
      const inner = pad(password, 0x36), outer = pad(password, 0x5c);
      const state = new Int32Array(8), first = new Uint8Array(salt.length + 4), out = new DataView(new ArrayBuffer(32));
      first.set(salt);
      first[salt.length + 3] = 1;
      read(first, 64 + first.length);
      compress(inner, state);
      digest(outer, state);
      const sum = state.slice();
      for (let round = 1; round < cost; round++) {
        digest(inner, state);
        digest(outer, state);
        for (let i = 0; i < 8; i++) sum[i] ^= state[i];
      }
      sum.forEach((word, i) => out.setInt32(i * 4, word));
      return new Uint8Array(out.buffer, 0, length);
    }

    async function derive(password, salt, cost, length) {
      if (!globalThis.crypto?.subtle) return slowly(password, salt, cost, length);
      const key = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
      return new Uint8Array(await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt, iterations: cost }, key, length * 8));
    }

    /** Returns the solution, or null if it takes longer than `most` milliseconds. */
    async function solve({ parameters }, most) {
      const nonce = bytes(parameters.nonce), salt = bytes(parameters.salt), started = performance.now();
      const password = new Uint8Array(nonce.length + 4);
      password.set(nonce);
      const counterAt = new DataView(password.buffer, nonce.length);
      for (let counter = 0; ; counter++) {
        counterAt.setUint32(0, counter);
        const derivedKey = hex(await derive(password, salt, parameters.cost, parameters.keyLength));
        const time = Math.round(performance.now() - started);
        if (derivedKey.startsWith(parameters.keyPrefix)) return { counter, derivedKey, time };
        if (time > most) return null;
        if (counter % 32 === 31) await new Promise((resolve) => setTimeout(resolve));
      }
    }
    return solve;
  }

  function solveInWorker(challenge) {
    return new Promise((resolve, reject) => {
      const source = `const solve = (${solver})(); onmessage = ({ data }) => solve(...data).then(postMessage, (fault) => setTimeout(() => { throw fault; }));`;
      const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
      const worker = new Worker(url);
      const end = (settle, value) => {
        worker.terminate();
        URL.revokeObjectURL(url);
        settle(value);
      };
      worker.onmessage = (event) => end(resolve, event.data);
      worker.onerror = (event) => {
        event.preventDefault();
        end(reject);
      };
      worker.postMessage([challenge, MOST_MS]);
    });
  }

  async function solve(challenge) {
    const solution = await solveInWorker(challenge).catch(() => solver()(challenge, MOST_MS));
    if (!solution) throw tooSlow();
    return btoa(JSON.stringify({ challenge, solution }));
  }

  let prepared = null;
  /** Asks for a challenge and begins to solve it. */
  function prepare() {
    const mine = { at: Date.now(), failed: false, work: beta.challenge().then(solve) };
    mine.work.catch(() => (mine.failed = true));
    return mine;
  }
  const isYounger = (work, most) => work !== null && Date.now() - work.at < most;
  /** While visitors fill in a form there is time to solve, and the server sees that they are not in a hurry. */
  function hear({ target }) {
    if (target?.matches?.("input, select, textarea") && !isYounger(prepared, FRESH_MS)) prepared = prepare();
  }
  addEventListener("focusin", hear);
  addEventListener("input", hear);

  const beta = {
    /** What visitors are asked; in a language, or in the browser's. */
    config: (locale) => ask(`/api/beta/config${locale ? `?locale=${encodeURIComponent(locale)}` : ""}`),
    /** A challenge of proof of work. `signup` asks for one itself. */
    challenge: () => ask("/api/beta/challenge"),
    /** Solves a challenge and sends the answers. Rejects with `errors` that point at fields. */
    async signup(fields, { locale } = {}) {
      const mine = isYounger(prepared, VALID_MS) && !prepared.failed ? prepared : prepare();
      prepared = null;
      const body = JSON.stringify({ fields, pow: await mine.work, ...(locale ? { locale } : {}) });
      try {
        return await ask("/api/beta/signup", { method: "POST", headers: { "content-type": "application/json" }, body });
      } catch (error) {
        // Answers that do not fit leave the solution unused.
        if (error.errors?.some(({ pointer }) => pointer.startsWith("/fields"))) prepared = mine;
        throw error;
      }
    },
  };
  /** Sends a form of our own page: `data-beta-form`. */
  function enhance(form) {
    const texts = form.dataset;
    const summary = form.querySelector("[data-summary]"), heading = summary.querySelector("h2"), list = summary.querySelector("ul"), button = form.querySelector("button");
    const inputs = [...form.elements].filter((input) => input.name);
    const label = button.textContent, check = heading.textContent;
    let busy = false;

    function mark(input, text) {
      const place = document.getElementById(`e-${input.name}`);
      if (!place) return;
      place.textContent = text;
      input.toggleAttribute("aria-invalid", false);
      if (text) input.setAttribute("aria-invalid", "true");
    }

    function fault(input) {
      if (input.type === "checkbox") return input.required && !input.checked ? texts.tick : "";
      const value = input.value.trim();
      if (!value) return input.required ? texts.missing : "";
      return input.type === "email" && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? texts.email : "";
    }

    function show(faults, general = "") {
      list.replaceChildren(...faults.map(([input, text]) => {
        mark(input, text);
        const item = document.createElement("li"), link = document.createElement("a");
        link.href = `#${input.id}`;
        link.textContent = `${input.labels[0]?.firstChild?.textContent.trim() ?? input.name} – ${text}`;
        link.addEventListener("click", (event) => {
          event.preventDefault();
          input.focus();
        });
        item.append(link);
        return item;
      }));
      heading.textContent = general || check;
      summary.hidden = false;
      summary.focus();
    }

    function answers() {
      const filled = inputs.filter((input) => input.type === "checkbox" || input.value.trim());
      return Object.fromEntries(filled.map((input) => [input.name, input.type === "checkbox" ? input.checked : input.value]));
    }

    function explain(error) {
      const named = (error.errors || []).map(({ pointer, message }) => [inputs.find((input) => pointer === `/fields/${input.name}`), message]);
      const found = named.filter(([input]) => input);
      const general = error.code === "too_slow" ? texts.slow : error.status === 429 ? texts.rate : texts.failed;
      show(found, found.length ? "" : general);
    }

    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (busy) return;
      inputs.forEach((input) => mark(input, ""));
      summary.hidden = true;
      const faults = inputs.map((input) => [input, fault(input)]).filter(([, text]) => text);
      if (faults.length) return show(faults);
      busy = true;
      button.setAttribute("aria-disabled", "true");
      button.textContent = texts.sending;
      try {
        await beta.signup(answers(), { locale: texts.locale });
        const done = document.querySelector("[data-done]");
        document.querySelectorAll(".intro").forEach((intro) => (intro.hidden = true));
        form.hidden = true;
        done.hidden = false;
        done.focus();
      } catch (error) {
        explain(error);
      } finally {
        busy = false;
        button.removeAttribute("aria-disabled");
        button.textContent = label;
      }
    });
  }

  const start = () => document.querySelectorAll("form[data-beta-form]").forEach(enhance);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();

  window.Service = Object.assign(window.Service || {}, { beta });
})();
