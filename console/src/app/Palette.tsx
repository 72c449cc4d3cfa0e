/** The command palette: every place and every action that is allowed now, found by a few letters. */

import { Modal, TextInput } from "@mantine/core";
import { IconArrowRight, IconBolt, IconSearch, type Icon } from "@tabler/icons-react";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";

import { t } from "@/i18n";
import { createOpening } from "@/ui/opening";

import styles from "./Palette.module.css";
import { ACTIONS, SCREENS } from "./screens";
import { useSession } from "./session";
import { allowed, offered } from "./tables";

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
  const places = SCREENS.filter((screen) => screen.nav && allowed(screen, session));
  return [
    ...actions.map((action) => ({
      id: action.name, title: t(action.title), hint: t("palette.action"), icon: IconBolt, keys: action.keys,
      perform: () => action.perform(visit),
    })),
    ...places.map((screen) => ({
      id: screen.path, title: t(screen.title), hint: t(`shell.group.${screen.nav?.group ?? "work"}`), icon: IconArrowRight,
      keys: screen.nav?.keys, perform: () => visit(screen.path),
    })),
  ];
}

const SHORTEST = 2;

/** What is no place and no action may be a word in a text. */
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

/** In parts, for the whole one puts a label on an element that cannot bear one, and reads out all entries as its description. */
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
  const [place, setPlace] = useState(0);
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  // Before the next key, and not when the dialog has come to rest: who knows the way types on without looking. The
  // dialog has noted by then to whom it gives the focus back.
  useEffect(() => queueMicrotask(() => field.current?.focus()), []);
  const everywhere = useEverywhere(query);
  const entries = [...useEntries().filter((entry) => matches(query, entry.title)), ...everywhere];
  const chosen = entries[place];
  useEffect(() => {
    if (chosen) document.getElementById(chosen.id)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  function perform(entry: Entry): void {
    palette.close();
    entry.perform();
  }

  function hear(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setPlace((place + step + entries.length) % Math.max(1, entries.length));
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
        onKeyDown={hear}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setPlace(0);
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
