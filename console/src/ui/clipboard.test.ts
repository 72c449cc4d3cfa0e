// @vitest-environment jsdom
import { afterEach, expect, test, vi } from "vitest";

import { offerClipboard } from "./clipboard";

afterEach(() => void Reflect.deleteProperty(navigator, "clipboard"));

/** What a browser does for `execCommand("copy")`; it has no clipboard over plain http. */
function browser(isAllowed: boolean): { copied: string } {
  const kept = { copied: "" };
  document.execCommand = vi.fn(() => {
    const event = Object.assign(new Event("copy", { cancelable: true }), { clipboardData: { setData: (_: string, text: string) => void (kept.copied = text) } });
    if (isAllowed) document.dispatchEvent(event);
    return isAllowed;
  });
  return kept;
}

test("over plain http a text is copied by the older command", async () => {
  const kept = browser(true);
  offerClipboard();
  await navigator.clipboard.writeText("a link");
  expect(kept.copied).toBe("a link");
});

test("what can't be copied is rejected, so that it can be said", async () => {
  browser(false);
  offerClipboard();
  await expect(navigator.clipboard.writeText("a link")).rejects.toThrow("no clipboard");
});
