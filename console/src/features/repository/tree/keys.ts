/** Keys in a tree of which only open nodes are in the page. */

type Step = HTMLElement | "open" | "close" | "choose";

/** What a key does at a node; undefined for other keys, or where there is nothing to do. */
export function stepIn(items: readonly HTMLElement[], here: HTMLElement, key: string): Step | undefined {
  const place = items.indexOf(here);
  const expanded = here.getAttribute("aria-expanded");
  switch (key) {
    case "ArrowDown":
      return items[place + 1];
    case "ArrowUp":
      return items[place - 1];
    case "Home":
      return items[0];
    case "End":
      return items.at(-1);
    case "ArrowRight":
      if (expanded === "false") return "open";
      return expanded === "true" && levelOf(items[place + 1]) > levelOf(here) ? items[place + 1] : undefined;
    case "ArrowLeft":
      if (expanded === "true") return "close";
      return items.slice(0, place).findLast((item) => levelOf(item) < levelOf(here));
    case "Enter":
    case " ":
      return "choose";
    default:
      return undefined;
  }
}

const levelOf = (item?: HTMLElement): number => Number(item?.getAttribute("aria-level") ?? 0);
