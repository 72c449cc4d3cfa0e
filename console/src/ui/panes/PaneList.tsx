/** The list beside an open item: heading, filters, rows that arrow keys walk along, and the states of loading. */

import { useRef, type CSSProperties, type ReactNode } from "react";

import { Endless, type Pages } from "@/ui/endless";
import { Skeleton } from "@/ui/skeleton/Skeleton";
import { Failed } from "@/ui/states";

import styles from "./PaneList.module.css";
import type { RowPlace } from "./rows";
import { useListKeys } from "./useListKeys";
import { useSamePlace } from "./useSamePlace";

interface Listed extends Pages {
  isPending: boolean;
  isError: boolean;
  isSuccess: boolean;
  data?: unknown;
  refetch: () => unknown;
}

interface Props<Item extends { id: string }> {
  /** Keeps the scroll position across navigation. */
  name: string;
  label: string;
  title: string;
  /** Beside the title. */
  action?: ReactNode;
  filters: ReactNode;
  query: Listed;
  /** What is loaded and fits the filters. */
  items: readonly Item[];
  openId?: string;
  row: (item: Item, place: RowPlace) => ReactNode;
  /** Typical height in pixels, for rows that aren't loaded or aren't in view. */
  rowHeight: number;
  none: ReactNode;
  /** While a text filters the list: how many items it has. */
  found?: string;
}

export function PaneList<Item extends { id: string }>(props: Props<Item>) {
  const { name, label, title, action, filters, query, items, openId, row, rowHeight, none, found } = props;
  const pane = useRef<HTMLElement>(null);
  const walk = useListKeys(pane);
  useSamePlace(name, pane, query.isSuccess);
  const entryId = items.some(({ id }) => id === openId) ? openId : items[0]?.id;
  // An open item has the page's heading.
  const Heading = openId === undefined ? "h1" : "h2";
  return (
    // Arrow keys are a shortcut: every link is reachable without them.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section ref={pane} className={styles.pane} style={{ "--row-height": `${rowHeight}px` } as CSSProperties} aria-label={label} onKeyDown={walk}>
      <header className={styles.head}>
        <div className={styles.title}>
          <Heading>{title}</Heading>
          {action}
        </div>
        {filters}
      </header>
      {query.isPending && <Skeleton shape="list" />}
      {query.isError && !query.data && <Failed error={query.error} again={() => void query.refetch()} />}
      {query.isSuccess && items.length === 0 && !query.hasNextPage && none}
      <ul className={styles.list}>
        {items.map((item) => row(item, { open: item.id === openId, entry: item.id === entryId }))}
      </ul>
      <Endless query={query} eager={found !== undefined} />
      <p className="sr-only" role="status">
        {query.isSuccess && found}
      </p>
    </section>
  );
}
