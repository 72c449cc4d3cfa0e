/** The content of a prompt: its text, and what goes with it. */

import { REFERENCE_TYPES, type Content, type ImagePart, type Part, type ReferencePart } from "./shapes";

export function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

export const imagesOf = (content: Content): ImagePart[] => partsOf(content).filter((part) => part.type === "image_url");
export const referencesOf = (content: Content): ReferencePart[] => partsOf(content).filter(isReference);

function isReference(part: Part): part is ReferencePart {
  return REFERENCE_TYPES.some((type) => type === part.type);
}

/** The id of what a part refers to. */
export function idOf(part: Part): string | undefined {
  switch (part.type) {
    case "note":
      return part.note_id;
    case "object":
      return part.object_id;
    case "entity":
      return part.entity_id;
    default:
      return undefined;
  }
}

export const partsOf = (content: Content): Part[] => (typeof content === "string" ? [] : content);
