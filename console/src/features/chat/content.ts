/** Builds and changes the content of a prompt. */

import { partsOf } from "@/ui/turns/content";
import type { Content, ReferencePart } from "@/ui/turns/shapes";

import type { Reference } from "./drafts";

/** A text alone is sent as it is. */
export function contentOf(text: string, references: readonly Reference[], images: readonly string[]): Content {
  if (references.length === 0 && images.length === 0) return text;
  return [
    ...(text ? [{ type: "text", text } as const] : []),
    ...references.map(toPart),
    ...images.map((url) => ({ type: "image_url", image_url: { url } }) as const),
  ];
}

function toPart({ type, id }: Reference): ReferencePart {
  switch (type) {
    case "note":
      return { type, note_id: id };
    case "entity":
      return { type, entity_id: id };
    case "object":
      return { type, object_id: id };
  }
}

/** The same content with another text. */
export function withText(content: Content, text: string): Content {
  const others = partsOf(content).filter((part) => part.type !== "text");
  return others.length === 0 ? text : [{ type: "text", text }, ...others];
}
