// A page in the console: counts the words of a text with the plugin's route.

export const texts = {
  en: { label: "Text", hint: "Paste or type a text.", count: "Count words", words: { one: "{count} word", other: "{count} words" } },
  de: { label: "Text", hint: "Text einfügen oder eingeben.", count: "Wörter zählen", words: { one: "{count} Wort", other: "{count} Wörter" } },
};

export default function show(root, { api, t }) {
  const label = element("label", { textContent: t("label"), htmlFor: "text" });
  const field = element("textarea", { id: "text", required: true, maxLength: 200_000, placeholder: t("hint") });
  const button = element("button", { textContent: t("count") });
  const result = element("output", { htmlFor: "text" });
  const form = element("form", { className: "counter" });
  const row = element("p");
  row.append(button, " ", result);
  form.append(label, field, row);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      const { words } = await api.post("/api/x/example-tools/word-count", { text: field.value });
      result.textContent = t("words", { count: words });
    } finally {
      button.disabled = false;
    }
  });
  const style = element("style", { textContent: ".counter { max-width: 640px } .counter p { margin-top: 12px } output { margin-inline-start: 12px; font-weight: 600 }" });
  root.append(style, form);
}

const element = (name, properties = {}) => Object.assign(document.createElement(name), properties);
