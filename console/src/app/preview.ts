/** In a frame of the localization manager: outlines the message, tells how often it's there, and takes another text for it. */

import "./preview.css";

import { forgetCompiled } from "@/i18n";
import { MARK, preview, readPreview, show } from "@/i18n/preview";

const WORDS = ["placeholder", "aria-label", "title", "alt"];
const FOUND = "data-previewed";

/** `again` draws everything once more, under another number. */
export function followPreview(again: (turn: number) => void): void {
  let turn = 0;
  let wasThere = false;
  let planned = 0;

  function outline(): void {
    planned = 0;
    const places = placesOf(document.body);
    for (const old of document.querySelectorAll(`[${FOUND}]`)) if (!places.includes(old as HTMLElement)) old.removeAttribute(FOUND);
    for (const place of places) place.setAttribute(FOUND, "");
    if (!wasThere) places[0]?.scrollIntoView({ block: "center", inline: "nearest" });
    wasThere = places.length > 0;
    window.parent.postMessage({ previewed: places.length }, location.origin);
  }

  const plan = (): void => void (planned ||= requestAnimationFrame(outline));
  new MutationObserver(plan).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: [...WORDS, "style", "class", "hidden"] });
  window.addEventListener("message", ({ origin, source, data }: MessageEvent<unknown>) => {
    const next = origin === location.origin && source === window.parent && typeof data === "string" ? readPreview(data) : undefined;
    if (!next || next.text === preview()?.text) return;
    show(next);
    forgetCompiled();
    wasThere = false;
    again((turn += 1));
  });
  plan();
}

/** What has the message as its words or as its name. Buttons cut what is around their words: they are outlined themselves. */
function placesOf(body: HTMLElement): HTMLElement[] {
  const found = new Set<Element | null>(body.querySelectorAll(WORDS.map((name) => `[${name}*="${MARK}"]`).join()));
  for (const input of body.querySelectorAll("input")) if (input.value.includes(MARK)) found.add(input);
  const texts = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (texts.currentNode.nodeValue?.includes(MARK)) found.add(texts.currentNode.parentElement);
  const seen = [...found].map((one) => one?.closest("button, a, [role=tab]") ?? one?.closest(".sr-only")?.parentElement ?? one);
  return [...new Set(seen)].filter((one): one is HTMLElement => one instanceof HTMLElement && one.checkVisibility());
}
