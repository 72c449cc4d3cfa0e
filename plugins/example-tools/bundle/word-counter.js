// A custom element for the console: counts the words of what is typed, with the plugin's route.
class WordCounter extends HTMLElement {
  connectedCallback() {
    const label = document.createElement("label");
    label.textContent = "Text";
    const field = document.createElement("textarea");
    label.append(field);
    const result = document.createElement("output");
    field.addEventListener("input", async () => {
      const answer = await this.api.post("/api/x/example-tools/word-count", { text: field.value });
      result.textContent = `${answer.words} words`;
    });
    this.append(label, result);
  }
}
customElements.define("example-word-counter", WordCounter);
