// A sign-up page of one's own: asks what the server asks, in the visitor's language, and sends the answers.
// It runs in a sandbox without rights on the server's origin, so it is a plain script and not a module.

const { beta } = window.Service;
const form = document.querySelector("form");
const outcome = document.getElementById("outcome");

const element = (name, properties = {}) => Object.assign(document.createElement(name), properties);

function control({ type, options }) {
  if (type === "textarea") return element("textarea", { rows: 4 });
  if (type !== "select") return element("input", { type });
  const select = element("select");
  select.append(element("option", { value: "" }), ...options.map(({ value, label }) => element("option", { value, textContent: label })));
  return select;
}

function show({ locale, fields, copy, honeypot }) {
  document.documentElement.lang = locale;
  document.title = copy.title;
  document.querySelector("h1").textContent = copy.title;
  document.getElementById("intro").textContent = copy.intro;
  for (const field of fields) {
    const label = element("label", { className: field.type === "checkbox" ? "check" : "" });
    label.append(field.label, Object.assign(control(field), { name: field.name, required: field.required }));
    form.append(label);
  }
  const trap = element("div", { className: "trap", ariaHidden: "true" });
  trap.append(element("input", { name: honeypot, tabIndex: -1, autocomplete: "off" }));
  form.append(trap, element("button", { textContent: copy.submit || copy.title }));
  form.hidden = false;
  form.addEventListener("submit", (event) => void send(event, fields, copy));
}

async function send(event, fields, copy) {
  event.preventDefault();
  const button = form.querySelector("button");
  const answers = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
  for (const { name, type } of fields) if (type === "checkbox") answers[name] = form.elements[name].checked;
  button.disabled = true;
  try {
    await beta.signup(answers, { locale: document.documentElement.lang });
    form.hidden = true;
    outcome.textContent = copy.thanks;
  } catch (fault) {
    outcome.textContent = [fault.message, ...(fault.errors ?? []).map((error) => error.message)].join(" ");
    button.disabled = false;
  }
}

beta.config().then(show, (fault) => (outcome.textContent = fault.message));
