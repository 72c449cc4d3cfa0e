/** The graph's part of the API. */

import { answer, api, type Schemas } from "@/api/client";
import type { PageOf } from "@/ui/endless";

import type { EntityType } from "./types";

export type EntityItem = Schemas["EntityItem"];
/** A page is of documents, newest first, with what they say. */
export type Entity = Schemas["Entity"];
export type EntityDocument = Schemas["EntityDocument"];
export type Mention = Schemas["EntityMention"];
export type Relation = Schemas["EntityRelation"];
/** A place in a version of a file. */
export type Quote = Pick<Mention & Relation, "object_id" | "version" | "start" | "end" | "quote">;

export interface Filter {
  q?: string;
  type?: EntityType;
  cursor?: string;
  limit?: number;
}

export const listEntities = (query: Filter): Promise<PageOf<EntityItem>> => answer(api.GET("/api/kg/entities", { params: { query } }));

export const getEntity = (id: string, cursor?: string): Promise<Entity> =>
  answer(api.GET("/api/kg/entities/{id}", { params: { path: { id }, query: { cursor } } }));

export const mergeEntity = (id: string, into: string): Promise<EntityItem> =>
  answer(api.POST("/api/kg/entities/{id}/merge", { params: { path: { id } }, body: { into } }));

export const splitEntity = (id: string, mentions: string[], name: string): Promise<EntityItem> =>
  answer(api.POST("/api/kg/entities/{id}/split", { params: { path: { id } }, body: { mentions, name } }));

export type Preview = Schemas["KnowledgePreview"];
type Run = Schemas["RunDetail"] | Schemas["RunOutline"];

export const previewExtraction = async (): Promise<Preview> => (await answer(api.POST("/api/kg/extract", { body: { dry_run: true } }))) as Preview;

export const startExtraction = async (): Promise<Run> => (await answer(api.POST("/api/kg/extract", { body: {} }))) as Run;
