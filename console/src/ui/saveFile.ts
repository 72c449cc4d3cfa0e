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
