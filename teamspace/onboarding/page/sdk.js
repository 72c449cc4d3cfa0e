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

    /** PBKDF2 with SHA-256, for pages without https, where browsers do not offer theirs. */
    const K = [], H = [];
    for (let n = 2, found = 0; found < 64; n++) {
      let prime = true;
      for (let d = 2; d * d <= n; d++) if (n % d === 0) { prime = false; break; }
      if (!prime) continue;
      if (found < 8) H[found] = (Math.sqrt(n) * 0x100000000) | 0;
      K[found++] = (Math.cbrt(n) * 0x100000000) | 0;
    }
    const W = new Int32Array(64);
    function compress(state, block) {
      for (let i = 0; i < 16; i++) W[i] = block[i];
      for (let i = 16; i < 64; i++) {
        const x = W[i - 15], y = W[i - 2];
        W[i] = (W[i - 16] + ((x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3) + W[i - 7] + ((y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10)) | 0;
      }
      let [a, b, c, d, e, f, g, h] = state;
      for (let i = 0; i < 64; i++) {
        const t1 = (h + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + ((e & f) ^ (~e & g)) + K[i] + W[i]) | 0;
        const t2 = (((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        h = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
      }
      return [state[0] + a | 0, state[1] + b | 0, state[2] + c | 0, state[3] + d | 0, state[4] + e | 0, state[5] + f | 0, state[6] + g | 0, state[7] + h | 0];
    }
    function finish(state, tail, length) {
      const padded = new Uint8Array(Math.ceil((tail.length + 9) / 64) * 64);
      padded.set(tail);
      padded[tail.length] = 0x80;
      const view = new DataView(padded.buffer);
      view.setUint32(padded.length - 4, length * 8);
      for (let at = 0; at < padded.length; at += 64) state = compress(state, Array.from({ length: 16 }, (_, i) => view.getInt32(at + i * 4)));
      return state;
    }
    function toBytes(state) {
      const out = new DataView(new ArrayBuffer(32));
      state.forEach((word, i) => out.setInt32(i * 4, word));
      return new Uint8Array(out.buffer);
    }
    function slowly(password, salt, cost, length) {
      const key = password.length > 64 ? toBytes(finish(H, password, password.length)) : password;
      const pad = (fill) => {
        const block = new Uint8Array(64).fill(fill);
        key.forEach((byte, i) => (block[i] ^= byte));
        const view = new DataView(block.buffer);
        return compress(H, Array.from({ length: 16 }, (_, i) => view.getInt32(i * 4)));
      };
      const inner = pad(0x36), outer = pad(0x5c);
      const mac = (text) => finish(outer, toBytes(finish(inner, text, 64 + text.length)), 96);
      const tail = (state) => [...state, 0x80000000 | 0, 0, 0, 0, 0, 0, 0, 768];
      const out = new Uint8Array(Math.ceil(length / 32) * 32);
      for (let block = 0; block * 32 < length; block++) {
        const first = new Uint8Array(salt.length + 4);
        first.set(salt);
        new DataView(first.buffer).setUint32(salt.length, block + 1);
        let last = mac(first);
        const sum = [...last];
        for (let round = 1; round < cost; round++) {
          last = compress(outer, tail(compress(inner, tail(last))));
          for (let i = 0; i < 8; i++) sum[i] ^= last[i];
        }
        out.set(toBytes(sum), block * 32);
      }
      return out.slice(0, length);
    }

    async function derive(password, salt, cost, length) {
      if (!globalThis.crypto?.subtle) return slowly(password, salt, cost, length);
      const key = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
      return new Uint8Array(await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt, iterations: cost }, key, length * 8));
    }

    async function solve({ parameters }) {
      const nonce = bytes(parameters.nonce), salt = bytes(parameters.salt), started = performance.now();
      const password = new Uint8Array(nonce.length + 4);
      password.set(nonce);
      const counterAt = new DataView(password.buffer, nonce.length);
      for (let counter = 0; counter < 100_000; counter++) {
        counterAt.setUint32(0, counter);
        const derivedKey = hex(await derive(password, salt, parameters.cost, parameters.keyLength));
        if (derivedKey.startsWith(parameters.keyPrefix)) return { counter, derivedKey, time: Math.round(performance.now() - started) };
        if (counter % 32 === 31) await new Promise((resolve) => setTimeout(resolve));
      }
      throw new Error("The challenge has no solution");
    }
    return solve;
  }

  function solveInWorker(challenge) {
    return new Promise((resolve, reject) => {
      const source = `const solve = (${solver})(); onmessage = (event) => solve(event.data).then((found) => postMessage(found), () => postMessage(null));`;
      const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
      const worker = new Worker(url);
      const end = (settle, value) => {
        worker.terminate();
        URL.revokeObjectURL(url);
        settle(value);
      };
      worker.onmessage = (event) => (event.data ? end(resolve, event.data) : end(reject));
      worker.onerror = (event) => {
        event.preventDefault();
        end(reject);
      };
      worker.postMessage(challenge);
    });
  }

  async function solve(challenge) {
    const solution = await solveInWorker(challenge).catch(() => solver()(challenge));
    return btoa(JSON.stringify({ challenge, solution }));
  }

  const beta = {
    /** What visitors are asked; in a language, or in the browser's. */
    config: (locale) => ask(`/api/beta/config${locale ? `?locale=${encodeURIComponent(locale)}` : ""}`),
    /** A challenge of proof of work. `signup` asks for one itself. */
    challenge: () => ask("/api/beta/challenge"),
    /** Solves a challenge and sends the answers. Rejects with `errors` that point at fields. */
    async signup(fields, { locale } = {}) {
      const pow = await solve(await beta.challenge());
      const body = JSON.stringify({ fields, pow, ...(locale ? { locale } : {}) });
      return ask("/api/beta/signup", { method: "POST", headers: { "content-type": "application/json" }, body });
    },
  };
  /** Sends a form of our own page: `data-beta-form`. */
  function enhance(form) {
    const texts = form.dataset;
    const summary = form.querySelector("[data-summary]"), list = summary.querySelector("ul"), button = form.querySelector("button");
    const inputs = [...form.elements].filter((input) => input.name);
    const label = button.textContent;
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
      if (general) {
        const item = document.createElement("li");
        item.textContent = general;
        list.append(item);
      }
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
      show(found, found.length ? "" : error.status === 429 ? texts.rate : texts.failed);
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
