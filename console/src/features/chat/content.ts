/** The content of a prompt: its text, and what goes with it. */

import type { Content, ImagePart, NotePart, ObjectPart, Part } from "./api";
import type { Reference } from "./drafts";

export function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

export const imagesOf = (content: Content): ImagePart[] => partsOf(content).filter((part) => part.type === "image_url");
export const referencesOf = (content: Content): (ObjectPart | NotePart)[] =>
  partsOf(content).filter((part) => part.type === "object" || part.type === "note");

const partsOf = (content: Content): Part[] => (typeof content === "string" ? [] : content);

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
