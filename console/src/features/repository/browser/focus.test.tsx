// @vitest-environment jsdom
import { act, cleanup, render, screen } from "@testing-library/react";
import { useEffect, useRef, useState } from "react";
import { afterEach, expect, test } from "vitest";

import { useKeptFocus } from "./focus";
import { focused, kept, NOTHING } from "./selection";

afterEach(cleanup);

interface Props {
  ids: string[];
  /** As rows, which are reused for other entries, or as tiles. */
  as: "rows" | "tiles";
}

function List({ ids, as }: Props) {
  const grid = useRef<HTMLDivElement>(null);
  const wanted = useRef<string | null>(null);
  const [state, onSelection] = useState(NOTHING);
  const selection = kept(state, new Set(ids));
  const active = Math.max(0, ids.indexOf(selection.active ?? ""));
  const keys = useKeptFocus({ grid, ids, active, selection, onSelection, focus: (id) => void (wanted.current = id) });
  useEffect(() => {
    grid.current?.querySelector<HTMLElement>(`[data-entry="${wanted.current}"]`)?.focus();
    wanted.current = null;
  });
  return (
    <div ref={grid} {...keys}>
      <h2 tabIndex={-1}>{ids[active]}</h2>
      {ids.map((id, index) => (
        <button key={as === "rows" ? index : id} data-entry={id} onFocus={() => onSelection(focused(selection, id))}>
          {id}
        </button>
      ))}
    </div>
  );
}

const inFocus = (): string | null => document.activeElement!.textContent;
/** What the keys act on. */
const target = (): string | null => screen.getByRole("heading").textContent;

test.each(["rows", "tiles"] as const)("in %s the focus stays with its entry, or goes to the one that takes its place", (as) => {
  const { rerender } = render(<List as={as} ids={["a", "b", "c", "d"]} />);
  act(() => screen.getByRole("button", { name: "c" }).focus());
  for (const [ids, expected] of [["abd", "d"], ["ab", "b"], ["0ab", "b"], ["0a", "a"]] as const) {
    rerender(<List as={as} ids={[...ids]} />);
    expect([inFocus(), target()]).toEqual([expected, expected]);
  }
});

test("a focus elsewhere stays where it is", () => {
  const { rerender } = render(<List as="tiles" ids={["a", "b"]} />);
  act(() => screen.getByRole("button", { name: "a" }).focus());
  screen.getByRole("heading").focus();
  rerender(<List as="tiles" ids={["b"]} />);
  expect(document.activeElement).toBe(screen.getByRole("heading"));
  screen.getByRole("heading").blur();
  rerender(<List as="tiles" ids={["c"]} />);
  expect(document.activeElement).toBe(document.body);
});
