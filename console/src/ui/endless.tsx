/** Infinite lists: the next page loads on scroll, or by a button. */

import { Button } from "@mantine/core";
import { useInfiniteQuery, type QueryKey } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { t } from "@/i18n";

import styles from "./endless.module.css";
import { Fault } from "./forms";

export interface PageOf<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** Refetch interval in milliseconds; false turns it off. */
export type Pace<Item> = (pages: readonly PageOf<Item>[]) => number | false;

/** All loaded pages as one list, optionally refetched at an interval. */
export function useEndless<Item>(queryKey: QueryKey, read: (cursor?: string) => Promise<PageOf<Item>>, pace?: Pace<Item>) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: (data) => data.pages.flatMap((page) => page.items),
    refetchInterval: ({ state }) => (pace && state.data ? pace(state.data.pages) : false),
    refetchIntervalInBackground: pace !== undefined,
  });
}

/** What is known of the pages of a list. */
export interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: unknown;
  fetchNextPage: () => unknown;
}

/** End of the loaded list. `eager` loads on without scrolling: a filter needs the full list. */
export function Endless({ query, eager = false }: { query: Pages; eager?: boolean }) {
  const end = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const ready = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (!ready || !end.current) return;
    if (eager) {
      fetchNextPage();
      return;
    }
    const watch = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) fetchNextPage();
      },
      { rootMargin: "400px" },
    );
    watch.observe(end.current);
    return () => watch.disconnect();
  }, [ready, eager, fetchNextPage]);
  if (!hasNextPage) return null;
  return (
    <div ref={end} className={styles.end}>
      {isFetchNextPageError && <Fault fault={query.error} />}
      <Button variant="subtle" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
        {isFetchNextPageError ? t("state.again") : t("action.more")}
      </Button>
    </div>
  );
}
