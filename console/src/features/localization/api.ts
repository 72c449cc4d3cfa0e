/** The API of languages and their messages. */

import { answer, api } from "@/api/client";

export const STATUSES = ["missing", "machine", "stale", "approved"] as const;
export type Status = (typeof STATUSES)[number];
export const REVIEWS = ["submitted", "returned"] as const;
export type Review = (typeof REVIEWS)[number];

export type Counts = Record<Status, number> & { total: number };

export interface LocaleCoverage extends Counts {
  locale: string;
  submitted: number;
  revision: number;
}

export interface NamespaceCoverage extends Counts {
  namespace: string;
}

export interface Coverage {
  /** The language that all others are translated from. */
  source: string;
  items: LocaleCoverage[];
  namespaces?: NamespaceCoverage[] | null;
}

export interface Proposal {
  text: string;
  author: string;
  author_name: string;
  submitted_at: string;
  note: string | null;
  own: boolean;
}

export interface Warning {
  check: string;
  message: string;
  params?: Record<string, string | number>;
}

export interface Message {
  id: string;
  locale: string;
  namespace: string;
  key: string;
  source: string;
  status: Status;
  text: string | null;
  origin: "human" | "machine" | "import" | null;
  /** What the source was when the translation was approved; only if that has changed. */
  written_source: string | null;
  review: Review | null;
  proposal: Proposal | null;
  approved_by: string | null;
  approved_at: string | null;
  updated_at: string | null;
  arguments: string[];
  plural_categories: string[];
  warnings: Warning[];
}

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

export interface Imported {
  items: { locale: string; added: number; changed: number; unchanged: number; removed: number }[];
}

export interface Exported {
  locale: string;
  messages: number;
  path?: string | null;
}

export interface Drafting {
  queued: number;
  remaining: number;
}

export interface Policy {
  default_locale: string;
  switching: boolean;
  drafts?: boolean;
}

interface Loose {
  GET: (path: string, options?: unknown) => Promise<{ data?: unknown; response: Response }>;
  POST: Loose["GET"];
  PUT: Loose["GET"];
}
const loose = api as unknown as Loose;
const asked = <T>(request: ReturnType<Loose["GET"]>): Promise<T> => answer(request as Promise<{ data?: T; response: Response }>);

export const fetchCoverage = (locale?: string): Promise<Coverage> => asked(loose.GET("/api/l10n/coverage", { params: { query: { locale } } }));

export const fetchMessages = ({ reviewable, ...query }: MessageQuery): Promise<Page> =>
  asked(loose.GET("/api/l10n/messages", { params: { query: { ...query, reviewable: reviewable ? 1 : undefined } } }));

export const submitText = (id: string, text: string): Promise<Message> => asked(loose.PUT("/api/l10n/messages/{id}", { params: { path: { id } }, body: { text } }));

export type Decision = { decision: "approve" } | { decision: "return"; note?: string };

export const reviewMessage = (id: string, decision: Decision): Promise<Message> => asked(loose.POST("/api/l10n/review/{id}", { params: { path: { id } }, body: decision }));

export const draftMissing = (locale: string): Promise<Drafting> => asked(loose.POST("/api/l10n/draft", { body: { locale } }));

export const discardDrafts = (locale: string): Promise<{ locale: string; discarded: number }> => asked(loose.POST("/api/l10n/discard", { body: { locale } }));

export const exportLocale = (locale: string): Promise<Exported> => asked(loose.POST("/api/l10n/export", { body: { locale } }));

export const importFiles = (locale?: string): Promise<Imported> => asked(loose.POST("/api/l10n/import", { body: locale ? { locale } : {} }));

export const savePolicy = (policy: Policy): Promise<Policy> => asked(loose.PUT("/api/i18n", { body: policy }));
