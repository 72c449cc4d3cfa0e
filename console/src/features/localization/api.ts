/** The API of languages and their messages. */

import { answer, api, type Schemas } from "@/api/client";

export type Status = Schemas["LocalizedMessage"]["status"];
export type Review = NonNullable<Schemas["LocalizedMessage"]["review"]>;
export type Message = Schemas["LocalizedMessage"];
export type Warning = NonNullable<Message["warnings"]>[number];
export type Coverage = Schemas["Coverage"];
export type LocaleCoverage = Schemas["LocaleCoverage"];
export type NamespaceCoverage = Schemas["NamespaceCoverage"];
export type Counts = Pick<NamespaceCoverage, Status | "total">;
export type Imported = Schemas["ImportResult"];
export type Drafting = Pick<Schemas["QueuedDrafts"], "queued" | "remaining">;
export type Policy = Schemas["LocalizationPolicy"];

export const STATUSES = ["missing", "machine", "stale", "approved"] as const satisfies readonly Status[];
export const REVIEWS = ["submitted", "returned"] as const satisfies readonly Review[];

export interface MessageQuery {
  locale: string;
  status?: Status;
  ns?: string;
  q?: string;
  review?: Review;
  reviewable?: boolean;
  id?: string;
  around?: string;
  limit?: number;
  cursor?: string;
}

export interface Page {
  items: Message[];
  next_cursor: string | null;
}

export const fetchCoverage = (locale?: string): Promise<Coverage> => answer(api.GET("/api/l10n/coverage", { params: { query: { locale } } }));

export const fetchMessages = ({ reviewable, ...query }: MessageQuery): Promise<Page> =>
  answer(api.GET("/api/l10n/messages", { params: { query: { ...query, reviewable: reviewable ? 1 : undefined } } }));

/** Proposes a translation, unless someone has proposed another since the message was read. */
export const submitText = ({ id, proposal }: Message, text: string): Promise<Message> =>
  answer(api.PUT("/api/l10n/messages/{id}", { params: { path: { id } }, body: { text, submitted_at: proposal?.submitted_at ?? null } }));

export type Decision = Pick<Schemas["MessageReview"], "decision" | "note">;

/** Decides about what was read, not about what someone has written since. */
export const reviewMessage = ({ id, updated_at }: Message, decision: Decision): Promise<Message> =>
  answer(api.POST("/api/l10n/review/{id}", { params: { path: { id } }, body: { ...decision, updated_at } }));

export const draftMissing = (locale: string): Promise<Drafting> => answer(api.POST("/api/l10n/draft", { body: { locale } }));

export const discardDrafts = (locale: string) => answer(api.POST("/api/l10n/discard", { body: { locale } }));

export const exportLocale = (locale: string) => answer(api.POST("/api/l10n/export", { body: { locale } }));

export const importFiles = (locale?: string): Promise<Imported> => answer(api.POST("/api/l10n/import", { body: locale ? { locale } : {} }));

export const savePolicy = (policy: Policy): Promise<Policy> => answer(api.PUT("/api/i18n", { body: policy }));
