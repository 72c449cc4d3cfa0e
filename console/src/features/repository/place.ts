/** Where in the files one is: in the address, so that a folder can be shared and survives a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

export const SHOWN = ["all", "shared"] as const;
export type Shown = (typeof SHOWN)[number];

export interface Address {
  /** What the keys of a folder begin with, up to and with its last slash. */
  in?: string;
  show?: Shown;
}

/** What an address may say: anything else in it is nobody's business. */
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

/** The folders that lead to one, outermost first. */
export function crumbsOf(folder: string): Crumb[] {
  const names = folder.split("/").slice(0, -1);
  return names.map((name, place) => ({ name, folder: `${names.slice(0, place + 1).join("/")}/` }));
}

/** The folder that a key lies in. */
export const folderOf = (key: string): string => key.slice(0, key.lastIndexOf("/") + 1);

/** What a key is called within its folder. */
export const nameOf = (key: string): string => key.slice(folderOf(key).length);
