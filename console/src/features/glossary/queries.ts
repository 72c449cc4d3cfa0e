/** API queries for the glossary. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";

/** The note is empty if there's none; the translation is only missing in the answer to a deletion. */
export type Term = Schemas["GlossaryTerm"] & { translation: string; note: string };
/** What people write of a term. */
export type TermText = Pick<Term, "term" | "target" | "translation" | "note" | "forbidden">;

const GLOSSARY = ["glossary"] as const;
const MOST_PAGES = 100;

/** All terms: filters and imports need the complete list. */
export function useGlossary() {
  return useQuery({ queryKey: GLOSSARY, queryFn: terms });
}

async function terms(): Promise<Term[]> {
  const found: Term[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answered = await answer(api.GET("/api/glossary", { params: { query: { limit: 200, cursor } } }));
    found.push(...answered.items.map((term) => ({ ...term, translation: term.translation ?? "", note: term.note ?? "" })));
    if (!answered.next_cursor) break;
    cursor = answered.next_cursor;
  }
  return found;
}

export function useTermChanges() {
  const client = useQueryClient();
  const refetch = () => client.invalidateQueries({ queryKey: GLOSSARY });
  const save = useMutation({ mutationFn: saveTerm, onSettled: refetch });
  const remove = useMutation({ mutationFn: ({ term, target }: TermText) => saveTerm({ term, target, translation: null }), onSettled: refetch });
  return { save: save.mutateAsync, remove: remove.mutateAsync, refetch };
}

/** Adds a term or replaces the one with the same term and language. */
export function saveTerm(change: Schemas["TermDraft"]) {
  return answer(api.POST("/api/glossary", { body: change }));
}
