/** Copies texts, over plain http too. */

import { t } from "@/i18n";

import { notice, noticeText } from "./notice";

/** Browsers have a clipboard only for pages that come over https: makes one of their older command, for whoever copies. */
export function offerClipboard(): void {
  if ("clipboard" in navigator) return;
  Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
}

function writeText(text: string): Promise<void> {
  let isSet = false;
  const set = (event: ClipboardEvent): void => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    // Not what a text field makes of it.
    event.stopImmediatePropagation();
    isSet = true;
  };
  document.addEventListener("copy", set, { capture: true, once: true });
  document.execCommand("copy");
  document.removeEventListener("copy", set, { capture: true });
  return isSet ? Promise.resolve() : Promise.reject(new Error("the browser has no clipboard"));
}

/** Says so when it is copied, and when it can't be. */
export async function copy(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notice(said);
  } catch {
    noticeText(t("ui.copy.failed"));
  }
}
