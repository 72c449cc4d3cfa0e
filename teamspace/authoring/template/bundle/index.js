// A page in the console: greets somebody with the plugin's route.

export const texts = {
  en: { name: "Name", greet: "Greet" },
  de: { name: "Name", greet: "Begrüßen" },
};

export default function show(root, { api, t }) {
  const form = document.createElement("form");
  const label = Object.assign(document.createElement("label"), { htmlFor: "name", textContent: t("name") });
  const field = Object.assign(document.createElement("input"), { id: "name", required: true, maxLength: 200 });
  const button = Object.assign(document.createElement("button"), { textContent: t("greet") });
  const result = document.createElement("p");
  form.append(label, field, " ", button, result);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    result.textContent = (await api.post("/api/x/my-plugin/greetings", { name: field.value })).text;
  });
  root.append(form);
}
