/** Keys as this machine names them, for tooltips. */

import { t } from "@/i18n";

const IS_APPLE = typeof navigator !== "undefined" && /Mac|iP(hone|ad)/.test(navigator.userAgent);
const APPLE: Partial<Record<string, string>> = { Meta: "⌘", Shift: "⇧", Alt: "⌥" };

/** Of `aria-keyshortcuts`: one for Apple's keyboards begins with Meta. */
export function keyWords(shortcuts: string, isApple = IS_APPLE): string {
  const all = shortcuts.split(" ");
  const keys = (all.find((one) => one.startsWith("Meta+") === isApple) ?? shortcuts).split("+");
  return isApple ? keys.map((key) => APPLE[key] ?? key).join("") : keys.map(nameOf).join("+");
}

function nameOf(key: string): string {
  if (key === "Control") return t("keys.cap.ctrl");
  return key === "Shift" ? t("keys.cap.shift") : key;
}
