/** The graph's part of the API. */

import { request } from "@/api/request";
import type { PageOf } from "@/ui/endless";

import type { EntityType } from "./types";

export interface EntityItem {
  id: string;
  type: EntityType;
  name: string;
  mentions: number;
  documents: number;
  /** There are more documents than were counted. */
  more: boolean;
  updated_at: string;
}

/** A place in a version of a file. */
export interface Quote {
  object_id: string;
  version: number;
  start: number;
  end: number;
  quote: string;
}

export interface Relation extends Quote {
  predicate: string;
  direction: "out" | "in";
  entity: { id: string; name: string; type: EntityType };
}

export interface Mention extends Quote {
  id: string;
  /** The name as it's written here. */
  written: string;
}

/** A document that mentions the entity. */
export interface EntityDocument {
  object_id: string;
  key: string;
  filename: string;
  version: number;
  /** A newer version hasn't been read yet. */
  outdated: boolean;
  mentions: number;
  at: string;
}

/** A page is of documents, newest first, with what they say. */
export interface Entity extends Omit<EntityItem, "mentions"> {
  names: string[];
  timeline: EntityDocument[];
  mentions: Mention[];
  relations: Relation[];
  next_cursor: string | null;
}

export interface Filter {
  q?: string;
  type?: EntityType;
  cursor?: string;
  limit?: number;
}

async function json<T>(method: string, path: string, body?: unknown): Promise<T> {
  return (await (await request(method, path, body)).json()) as T;
}

export function listEntities(filter: Filter): Promise<PageOf<EntityItem>> {
  const query = new URLSearchParams(Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
  return json("GET", `/api/kg/entities?${query}`);
}

export function getEntity(id: string, cursor?: string): Promise<Entity> {
  return json("GET", `/api/kg/entities/${id}${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""}`);
}

export const mergeEntity = (id: string, into: string): Promise<EntityItem> => json("POST", `/api/kg/entities/${id}/merge`, { into });

export const splitEntity = (id: string, mentions: string[], name: string): Promise<EntityItem> =>
  json("POST", `/api/kg/entities/${id}/split`, { mentions, name });

export interface Estimate {
  estimate: { requests: number; tokens: number };
  blocked_by: { dimension: string; level: string; resets_at: string | null } | null;
  documents?: number;
}

export const estimateExtraction = (): Promise<Estimate> => json("POST", "/api/kg/extract", { dry_run: true });

export const startExtraction = (): Promise<{ id: string }> => json("POST", "/api/kg/extract", {});
