/** The one box for content, places, actions and what was opened before; results appear while you type. */

import { Modal, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";

import { Marked } from "@/features/search/Marked";
import { LONGEST, useTopResults } from "@/features/search/queries";
import { t } from "@/i18n";
import { useSession } from "@/session";

import styles from "./Box.module.css";
import { useFoundGroups, usePlaceGroups, useShortcutGroups, type Entry, type Group } from "./entries";
import { matching } from "./matching";
import { box, takeTyped } from "./opening";

const PAUSE_MS = 150;

/** Built from parts: a whole Modal labels an element that can't have a label, and reads out every entry as its description. */
export default function Box() {
  // Its code may come after it was opened. Only a dialog that opens while it is there knows where the focus returns to.
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  const opened = box.useOpened() && ready;
  return (
    <Modal.Root opened={opened} onClose={box.close} transitionProps={{ duration: 0 }} size="lg">
      <Modal.Overlay />
      <Modal.Content aria-label={t("shell.palette")} className={styles.content}>
        {opened && <Search />}
      </Modal.Content>
    </Modal.Root>
  );
}

function Search() {
  const [typed, setTyped] = useState(takeTyped);
  const [chosenId, setChosenId] = useState<string>();
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  // At once, not when the dialog has opened: people type on without looking. By then the dialog knows where the focus
  // has to return to.
  useEffect(() => queueMicrotask(() => field.current?.focus()), []);
  const query = typed.trim();
  const { groups, state } = useGroups(query);
  const entries = groups.flatMap((group) => group.entries);
  // What comes later from the server doesn't change what Enter does, once an arrow key has chosen.
  const index = Math.max(0, entries.findIndex(({ id }) => id === chosenId));
  const chosen = entries[index];
  useEffect(() => {
    if (chosen) document.getElementById(chosen.id)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  function perform(entry: Entry): void {
    box.close();
    entry.perform();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setChosenId(entries[(index + step + entries.length) % Math.max(1, entries.length)]?.id);
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
        aria-autocomplete="list"
        aria-label={t("palette.placeholder")}
        placeholder={t("palette.placeholder")}
        autoComplete="off"
        maxLength={LONGEST}
        leftSection={<IconSearch aria-hidden size={16} />}
        value={typed}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setChosenId(undefined);
        }}
      />
      <div id={list} role="listbox" aria-label={t("shell.palette")} className={styles.entries}>
        {groups.map((group) => (
          <div key={group.title} role="group" aria-label={group.title}>
            <p className={styles.group} aria-hidden>
              {group.title}
            </p>
            {group.entries.map((entry) => (
              <Option key={entry.id} entry={entry} chosen={entry === chosen} onChoose={() => perform(entry)} />
            ))}
          </div>
        ))}
      </div>
      <p role="status" className={entries.length === 0 ? styles.nothing : "sr-only"}>
        {state ?? (entries.length === 0 ? t("palette.nothing") : t("search.count", { count: entries.length }))}
      </p>
    </>
  );
}

/** Without a word, what was opened before comes first; with one, the group of the best match, and last what the server finds. */
function useGroups(query: string): { groups: Group[]; state?: string } {
  const { can } = useSession();
  const [asked] = useDebouncedValue(query, PAUSE_MS);
  const mayFind = can("search");
  const found = useTopResults(mayFind ? asked : "");
  const isFresh = asked === query && !found.isFetching;
  const results = query !== "" && asked !== "" ? (found.data ?? []) : [];
  const known = [...useShortcutGroups(query), ...usePlaceGroups(query)].filter(({ entries }) => entries.length > 0);
  const all = [...matching(query, known, ({ entries }) => entries[0]?.title ?? ""), ...useFoundGroups(query, results)];
  const groups = all.filter(({ entries }) => entries.length > 0);
  if (query === "" || !mayFind) return { groups };
  return { groups, state: found.isError ? found.error.message : isFresh ? undefined : t("search.busy") };
}

function Option({ entry, chosen, onChoose }: { entry: Entry; chosen: boolean; onChoose: () => void }) {
  const { id, title, hint, snippet, keys, icon: Picture } = entry;
  return (
    <button id={id} type="button" role="option" aria-selected={chosen} tabIndex={-1} className={styles.entry} onClick={onChoose}>
      <Picture aria-hidden size={15} />
      <span className={styles.title}>
        <span>{title}</span>
        {snippet && (
          <span className={styles.snippet}>
            <Marked snippet={snippet} />
          </span>
        )}
      </span>
      {hint && <span className={styles.hint}>{hint}</span>}
      {keys && <kbd>{keys}</kbd>}
    </button>
  );
}
