/** Downloads a file generated in the browser. */
export function saveFile(name: string, content: Blob | string): void {
  const blob = typeof content === "string" ? new Blob([content], { type: "text/plain;charset=utf-8" }) : content;
  const address = URL.createObjectURL(blob);
  saveFrom(address, name);
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Has the browser save what an address of this server sends. */
export function saveFrom(address: string, name: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}

/** Has the browser save what this server answers to a form. An answer that's no file stays in a frame that nobody sees. */
export function saveFromForm(address: string, fields: Record<string, string>): void {
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: address, target: hiddenFrame(), hidden: true });
  for (const [name, value] of Object.entries(fields)) {
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  document.body.append(form);
  form.submit();
  form.remove();
}

function hiddenFrame(): string {
  const name = "saved";
  if (!document.getElementsByName(name).length) {
    document.body.append(Object.assign(document.createElement("iframe"), { name, hidden: true, title: name }));
  }
  return name;
}
