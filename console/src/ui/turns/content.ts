/** The content of a prompt: its text, and what goes with it. */

import type { Content, ImagePart, NotePart, ObjectPart, Part } from "./shapes";

export function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

export const imagesOf = (content: Content): ImagePart[] => partsOf(content).filter((part) => part.type === "image_url");
export const referencesOf = (content: Content): (ObjectPart | NotePart)[] =>
  partsOf(content).filter((part) => part.type === "object" || part.type === "note");

export const partsOf = (content: Content): Part[] => (typeof content === "string" ? [] : content);
