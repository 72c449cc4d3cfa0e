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

/** Has the browser save the file that this server answers to a form with; for any other answer, calls `onRefused`. */
export function saveFromForm(address: string, fields: Record<string, string>, onRefused: () => void): void {
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: address, target: hiddenFrame(onRefused), hidden: true });
  for (const [name, value] of Object.entries(fields)) {
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  document.body.append(form);
  form.submit();
  form.remove();
}

/** The name of a new frame that nobody sees: in one that is used already, a form would cancel the one before. */
function hiddenFrame(onRefused: () => void): string {
  const name = `saved-${document.getElementsByTagName("iframe").length}-${Date.now()}`;
  const frame = Object.assign(document.createElement("iframe"), { name, hidden: true, title: name });
  document.body.append(frame);
  // A file is saved, and nothing loads. Of an answer that may not be shown in a frame, there is no document.
  frame.addEventListener("load", () => {
    if (frame.contentDocument?.URL === "about:blank") return;
    frame.remove();
    onRefused();
  });
  return name;
}
