/** Queries for languages and their messages. */

import { useQuery, useQueryClient, type InfiniteData } from "@tanstack/react-query";

import { useEndless } from "@/ui/endless";

import { fetchCoverage, fetchMessages, type Message, type MessageQuery, type Page } from "./api";
import { AROUND, COVERAGE, MESSAGES } from "./keys";

export const useCoverage = () => useQuery({ queryKey: [...COVERAGE, "all"], queryFn: () => fetchCoverage() });

/** With the namespaces of the language. */
export const useLocaleCoverage = (locale: string) => useQuery({ queryKey: [...COVERAGE, "one", locale], queryFn: () => fetchCoverage(locale) });

const PAGE = 100;

export function useTexts(query: MessageQuery) {
  return useEndless<Message>([...MESSAGES, query], (cursor) => fetchMessages({ ...query, limit: PAGE, cursor }));
}

/** Up to five before and five after in the namespace. */
export const useAround = ({ id, locale }: Message) => useQuery({ queryKey: [...AROUND, locale, id], queryFn: () => fetchMessages({ locale, around: id }) });

/** Brings the lists up to date with one message, without fetching them: rows stay where they are. */
export function useKnown() {
  const client = useQueryClient();

  function change(turn: (items: Message[]) => Message[]): void {
    client.setQueriesData<InfiniteData<Page>>({ queryKey: MESSAGES }, (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, items: turn(page.items) })) });
    void client.invalidateQueries({ queryKey: COVERAGE });
    void client.invalidateQueries({ queryKey: AROUND });
  }

  return {
    /** By what a request that wrote it answered, which has no terms. */
    replace: (message: Message) => change((items) => items.map((one) => (one.id === message.id ? { ...message, terms: one.terms } : one))),
    /** The message as it is on the server now; undefined if it's gone. */
    refresh: async ({ id, locale }: Message): Promise<Message | undefined> => {
      const [message] = (await fetchMessages({ locale, id })).items;
      change((items) => (message ? items.map((one) => (one.id === id ? message : one)) : items));
      return message;
    },
    refetchAll: () => {
      void client.invalidateQueries({ queryKey: COVERAGE });
      void client.invalidateQueries({ queryKey: MESSAGES });
    },
  };
}
