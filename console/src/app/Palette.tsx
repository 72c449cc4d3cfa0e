/** The command palette: every screen and action that is allowed now, found by a few letters. */

import { Modal, TextInput } from "@mantine/core";
import { IconArrowRight, IconBolt, IconSearch, type Icon } from "@tabler/icons-react";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";

import { t } from "@/i18n";
import { allowed, offered, type NavEntry } from "@/navigation/tables";
import { useSession } from "@/session";
import { createOpening } from "@/ui/opening";

import styles from "./Palette.module.css";
import { ACTIONS, SCREENS } from "./screens";

interface Entry {
  id: string;
  title: string;
  hint: string;
  icon: Icon;
  keys?: string;
  perform: () => void;
}

const palette = createOpening();
export const openPalette = palette.open;

function useEntries(): Entry[] {
  const session = useSession();
  const go = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const visit = (to: string): void => void go({ to });
  const actions = ACTIONS.filter((action) => offered(action, session, path));
  const screens = SCREENS.filter((screen) => allowed(screen, session));
  return [
    ...actions.map((action) => ({
      id: action.name, title: t(action.title), hint: t("palette.action"), icon: IconBolt, keys: action.keys,
      perform: () => action.perform(visit),
    })),
    ...screens.flatMap(({ path: to, title, nav }) =>
      nav ? [{ id: to, title: t(title), hint: areaOf(nav), icon: IconArrowRight, keys: nav.keys, perform: () => visit(to) }] : [],
    ),
  ];
}

function areaOf({ group }: NavEntry): string {
  if (group === "main" || group === "foot") return t("shell.workspace");
  return t("settings.scoped", { scope: t(`settings.scope.${group}`) });
}

const SHORTEST = 2;

/** Whatever is typed can also be searched for. */
function useEverywhere(query: string): Entry[] {
  const { can } = useSession();
  const go = useNavigate();
  const q = query.trim();
  if (q.length < SHORTEST || !can("search")) return [];
  const perform = (): void => void go({ to: "/search", search: { q } });
  return [{ id: "search.everywhere", title: t("palette.search", { query: q }), hint: t("palette.search.hint"), icon: IconSearch, perform }];
}

/** Letters in order are enough: `nn` finds `New note`. */
export function matches(query: string, title: string): boolean {
  let from = 0;
  const text = title.toLowerCase();
  for (const letter of query.toLowerCase().replace(/\s/g, "")) {
    from = text.indexOf(letter, from) + 1;
    if (from === 0) return false;
  }
  return true;
}

/** Built from parts: a whole Modal labels an element that can't have a label, and reads out every entry as its description. */
export function Palette() {
  const opened = palette.useOpened();
  return (
    <Modal.Root opened={opened} onClose={palette.close} transitionProps={{ duration: 0 }}>
      <Modal.Overlay />
      <Modal.Content aria-label={t("shell.palette")} className={styles.content}>
        {opened && <Search />}
      </Modal.Content>
    </Modal.Root>
  );
}

function Search() {
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState(0);
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  // At once, not when the dialog has opened: people type on without looking. By then the dialog knows where the focus
  // has to return to.
  useEffect(() => queueMicrotask(() => field.current?.focus()), []);
  const everywhere = useEverywhere(query);
  const entries = [...useEntries().filter((entry) => matches(query, entry.title)), ...everywhere];
  const chosen = entries[index];
  useEffect(() => {
    if (chosen) document.getElementById(chosen.id)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  function perform(entry: Entry): void {
    palette.close();
    entry.perform();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setIndex((index + step + entries.length) % Math.max(1, entries.length));
    else if (event.key === "Enter" && !event.nativeEvent.isComposing && chosen) perform(chosen);
    else return;
    event.preventDefault();
  }

  return (
    <>
      <TextInput
        ref={field}
        data-autofocus
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={chosen?.id}
        aria-label={t("palette.placeholder")}
        placeholder={t("palette.placeholder")}
        value={query}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setIndex(0);
        }}
      />
      <div id={list} role="listbox" aria-label={t("shell.palette")} className={styles.entries}>
        {entries.map((entry) => (
          <Option key={entry.id} entry={entry} chosen={entry === chosen} onChoose={() => perform(entry)} />
        ))}
      </div>
      {entries.length === 0 && (
        <p role="status" className={styles.nothing}>
          {t("palette.nothing")}
        </p>
      )}
    </>
  );
}

function Option({ entry, chosen, onChoose }: { entry: Entry; chosen: boolean; onChoose: () => void }) {
  const { id, title, hint, keys, icon: Picture } = entry;
  return (
    <button id={id} type="button" role="option" aria-selected={chosen} tabIndex={-1} className={styles.entry} onClick={onChoose}>
      <Picture aria-hidden size={15} />
      <span className={styles.title}>{title}</span>
      <span className="muted">{hint}</span>
      {keys && <kbd>{keys}</kbd>}
    </button>
  );
}
