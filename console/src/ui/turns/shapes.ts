/** What a prompt consists of, and what tools did for its answer. */

export interface TextPart {
  type: "text";
  text: string;
}

export interface ImagePart {
  type: "image_url";
  image_url: { url: string };
}

export interface ObjectPart {
  type: "object";
  object_id: string;
  version?: number | null;
}

export interface NotePart {
  type: "note";
  note_id: string;
}

export interface EntityPart {
  type: "entity";
  entity_id: string;
}

export type ReferencePart = ObjectPart | NotePart | EntityPart;
export type ReferenceType = ReferencePart["type"];
export const REFERENCE_TYPES = ["note", "object", "entity"] as const satisfies readonly ReferenceType[];

export type Part = TextPart | ImagePart | ReferencePart;
export type Content = string | Part[];

/** A result that is a thing of its own; some have more keys than these. */
export interface Artifact {
  kind: "document" | "table" | "text" | "link" | "image";
  title: string;
  summary?: string | null;
  content_type?: string | null;
  object_id?: string | null;
  version_id?: string | null;
  note_id?: string | null;
  url?: string | null;
  text?: string | null;
  columns?: string[] | null;
  rows?: unknown[][] | null;
}

export interface Reported {
  code?: string;
  message?: string;
  key?: string | null;
  params?: Record<string, string | number> | null;
}

export interface Step {
  /** Absent in stored answers. */
  call?: string;
  tool: string;
  arguments: unknown;
  /** Absent while the tool runs. */
  result?: unknown;
  artifact?: Artifact | null;
  error?: Reported | string | null;
}
