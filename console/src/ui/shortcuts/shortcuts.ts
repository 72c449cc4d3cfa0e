/** What people star and open again: its kinds, and where each opens. */

import { IconFile, IconFileText, IconMessageCircle, IconNotes, IconSitemap, type Icon } from "@tabler/icons-react";

import type { Schemas } from "@/api/client";

export const KINDS = ["note", "document", "file", "conversation", "workflow"] as const;
export type Kind = (typeof KINDS)[number];

export interface Subject {
  kind: Kind;
  /** Of a workflow its slug. */
  id: string;
}

export type Shortcut = Schemas["Shortcut"] & Subject;

const FOLDERS: Record<Kind, string> = { note: "/notes", document: "/documents", file: "/files", conversation: "/chat", workflow: "/workflows/spec" };

export const PICTURES: Record<Kind, Icon> = {
  note: IconNotes,
  document: IconFileText,
  file: IconFile,
  conversation: IconMessageCircle,
  workflow: IconSitemap,
};

export const addressOf = ({ kind, id }: Subject): string => `${FOLDERS[kind]}/${id}`;

export const isSame = (one: Subject, other: Subject): boolean => one.kind === other.kind && one.id === other.id;

/** A newer server may know more kinds. */
export const isKnown = (item: Schemas["Shortcut"]): item is Shortcut => KINDS.some((kind) => kind === item.kind);
