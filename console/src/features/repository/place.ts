/** Current folder, in the address: can be shared, and survives a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

import type { Schemas } from "@/api/client";
import { isDocument } from "@/ui/documents";

export const SHOWN = ["all", "shared"] as const;
export type Shown = (typeof SHOWN)[number];

export interface Address {
  /** Key prefix of the folder, including the last slash. */
  in?: string;
  show?: Shown;
}

/** Allowed search params; others are dropped. */
export function addressed(search: Record<string, unknown>): Address {
  const folder = typeof search.in === "string" || typeof search.in === "number" ? String(search.in) : "";
  return {
    in: folder === "" ? undefined : folder.endsWith("/") ? folder : `${folder}/`,
    show: search.show === "shared" ? "shared" : undefined,
  };
}

export interface Place {
  folder: string;
  show: Shown;
}

export function usePlace(): Place {
  const { in: folder = "", show = "all" } = addressed(useSearch({ strict: false }));
  return { folder: show === "all" ? folder : "", show };
}

export function useGo(): (address: Address) => void {
  const go = useNavigate();
  return (address) => void go({ to: "/files", search: address });
}

export interface Crumb {
  name: string;
  folder: string;
}

/** Parent folders, outermost first. */
export function crumbsOf(folder: string): Crumb[] {
  const names = folder.split("/").slice(0, -1);
  return names.map((name, place) => ({ name, folder: `${names.slice(0, place + 1).join("/")}/` }));
}

/** Folder of a key. */
export const folderOf = (key: string): string => key.slice(0, key.lastIndexOf("/") + 1);

/** What a file is called on screens: a document by its title. */
export const titleOf = (file: Pick<Schemas["ObjectItem"], "key" | "filename" | "title" | "content_type">): string => (isDocument(file.content_type) ? file.title : nameOf(file.key) || file.filename);

/** File name of a key. */
export const nameOf = (key: string): string => key.slice(folderOf(key).length);
