/** Builds and changes the content of a prompt. */

import { partsOf } from "@/ui/turns/content";
import type { Content } from "@/ui/turns/shapes";

import type { Reference } from "./drafts";

/** A text alone is sent as it is. */
export function contentOf(text: string, references: readonly Reference[], images: readonly string[]): Content {
  if (references.length === 0 && images.length === 0) return text;
  return [
    ...(text ? [{ type: "text", text } as const] : []),
    ...references.map(({ type, id }) => (type === "note" ? ({ type, note_id: id } as const) : ({ type, object_id: id } as const))),
    ...images.map((url) => ({ type: "image_url", image_url: { url } }) as const),
  ];
}

/** The same content with another text. */
export function withText(content: Content, text: string): Content {
  const others = partsOf(content).filter((part) => part.type !== "text");
  return others.length === 0 ? text : [{ type: "text", text }, ...others];
}
