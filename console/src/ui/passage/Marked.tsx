/** A text in which a passage is marked and in view, without a change to what is drawn. */

import { useEffect, useRef, type ReactNode } from "react";

import { t } from "@/i18n";
import { plain } from "@/ui/plain";

import { placeOf } from "./passage";
import "./Marked.css";

const NAME = "passage";

interface Props {
  /** As it is in the stored text: its marks aren't in what is drawn. */
  quote?: string;
  children: ReactNode;
}

export function Marked({ quote, children }: Props) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = root.current;
    if (!element || !quote || !("highlights" in CSS)) return;
    // The text may come later than its frame.
    const look = (): void => {
      const range = rangeOf(element, plain(quote));
      if (!range) return;
      changes.disconnect();
      CSS.highlights.set(NAME, new Highlight(range));
      range.startContainer.parentElement?.scrollIntoView({ block: "center" });
    };
    const changes = new MutationObserver(look);
    changes.observe(element, { childList: true, subtree: true, characterData: true });
    look();
    return () => {
      changes.disconnect();
      CSS.highlights.delete(NAME);
    };
  }, [quote]);
  return (
    <div ref={root}>
      {quote && (
        <p className="sr-only" role="note">
          {t("passage.passage")}: {quote}
        </p>
      )}
      {children}
    </div>
  );
}

function rangeOf(element: Element, quote: string): Range | undefined {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement?.closest(".sr-only") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  const nodes: { node: Text; start: number }[] = [];
  let text = "";
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    nodes.push({ node, start: text.length });
    text += node.data;
  }
  const place = placeOf(text, { quote });
  if (!place) return undefined;
  const at = (offset: number): [Text, number] | undefined => {
    const found = nodes.findLast(({ start }) => start <= offset);
    return found && [found.node, offset - found.start];
  };
  const [first, last] = [at(place.start), at(place.end - 1)];
  if (!first || !last) return undefined;
  const range = document.createRange();
  range.setStart(...first);
  range.setEnd(last[0], last[1] + 1);
  return range;
}
