/** What somebody did, in words, and where it leads. */

import type { Schemas } from "@/api/client";
import { t } from "@/i18n";

export type ActivityItem = Schemas["ActivityItem"];

const FOLDERS = { note: "/notes", document: "/documents", file: "/files", conversation: "/chat", run: "/workflows/runs" } as const;
type Kind = keyof typeof FOLDERS;

/** A newer server may know more kinds. */
export const isKnown = (item: ActivityItem): boolean => Object.hasOwn(FOLDERS, item.kind);

export const addressOf = ({ kind, id }: ActivityItem): string => `${FOLDERS[kind as Kind]}/${id}`;

export function wordsOf({ verb, kind, times, state }: ActivityItem, name: string): string {
  if (verb === "ran") return t(state === "succeeded" ? "home.activity.ran" : state === "cancelled" ? "home.activity.cancelled" : "home.activity.failed", { name });
  if (verb === "shared") return t("home.activity.shared", { name });
  if (verb === "created") return t(kind === "file" ? "home.activity.uploaded" : "home.activity.created", { name });
  return t(kind === "file" ? "home.activity.replaced" : "home.activity.edited", { name, times });
}
