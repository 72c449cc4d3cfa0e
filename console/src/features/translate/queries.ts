/** API queries for translations. */

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { useEndless } from "@/ui/endless";

export type Hit = Schemas["GlossaryHit"];
export type FailedCheck = Schemas["FailedCheck"];
export type Translation = Schemas["Translation"];
export type CatalogTranslation = Schemas["CatalogTranslation"];
export type TranslationRecord = Schemas["TranslationRecord"];
export type DryRun = Schemas["DryRun"];

export interface Languages {
  /** Null for detection by the model. */
  source: string | null;
  target: string;
}

/** What can be translated: one text, or a catalog of texts by key. */
export type Input = { text: string } | { catalog: Record<string, string> };

const HISTORY = ["translate", "history"] as const;
/** The key of the usage screen's query, which changes of usage refetch. */
const USAGE = ["usage"] as const;

export async function translateText(text: string, languages: Languages, signal: AbortSignal): Promise<Translation> {
  return (await answer(api.POST("/api/translate", { body: { text, ...languages }, signal }))) as Translation;
}

export async function translateCatalog(catalog: Record<string, string>, languages: Languages, signal: AbortSignal): Promise<CatalogTranslation> {
  return (await answer(api.POST("/api/translate/catalog", { body: { catalog, ...languages }, signal }))) as CatalogTranslation;
}

/** What a translation would cost, without doing it. */
export function useEstimate(input: Input | null, languages: Languages | null) {
  return useQuery({
    queryKey: ["translate", "estimate", input, languages],
    queryFn: () => estimate(input as Input, languages as Languages),
    enabled: input !== null && languages !== null,
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
}

async function estimate(input: Input, languages: Languages): Promise<DryRun> {
  const options = { ...languages, dry_run: true };
  const request = "text" in input ? api.POST("/api/translate", { body: { ...input, ...options } }) : api.POST("/api/translate/catalog", { body: { ...input, ...options } });
  return (await answer<unknown>(request)) as DryRun;
}

/** Tokens the team can still use; null without a limit. */
export function useTokensLeft(): number | null {
  const usage = useQuery({ queryKey: USAGE, queryFn: () => answer(api.GET("/api/usage")) });
  return usage.data?.items.find(({ dimension }) => dimension === "ai.tokens.total")?.remaining ?? null;
}

export function useHistory() {
  return useEndless<TranslationRecord>(HISTORY, (cursor) => answer(api.GET("/api/translate", { params: { query: { limit: 20, cursor } } })));
}

/** Whether translations are made up, since no real model is connected. */
export function useSimulated(): boolean {
  const model = useQuery({ queryKey: ["translate", "model"], queryFn: () => answer(api.GET("/api/ai/model")), staleTime: 60_000 });
  return model.data?.roles.find(({ role }) => role === "chat")?.simulated ?? false;
}

export function useAfterTranslation(): () => void {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: HISTORY });
    void client.invalidateQueries({ queryKey: USAGE });
  };
}
