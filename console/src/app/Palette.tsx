/** The command palette: every place and every action that is allowed now, found by a few letters. */

import { Combobox, Modal, TextInput, useCombobox } from "@mantine/core";
import { IconArrowRight, IconBolt } from "@tabler/icons-react";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useState, useSyncExternalStore } from "react";

import { t } from "@/i18n";

import { ACTIONS, SCREENS } from "./screens";
import { useSession } from "./session";
import { allowed } from "./tables";

interface Entry {
  id: string;
  title: string;
  hint: string;
  keys?: string;
  perform: () => void;
}

let opened = false;
const listeners = new Set<() => void>();

function show(value: boolean): void {
  opened = value;
  listeners.forEach((listener) => listener());
}

export const openPalette = (): void => show(true);

function useOpened(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => opened,
  );
}

function useEntries(): Entry[] {
  const session = useSession();
  const go = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const visit = (to: string): void => void go({ to });
  const actions = ACTIONS.filter((action) => allowed(action, session) && (!action.on || action.on.test(path)));
  const places = SCREENS.filter((screen) => screen.nav && allowed(screen, session));
  return [
    ...actions.map((action) => ({
      id: action.name, title: t(action.title), hint: t("palette.action"), keys: action.keys,
      perform: () => action.perform(visit),
    })),
    ...places.map((screen) => ({
      id: screen.path, title: t(screen.title), hint: t(`shell.group.${screen.nav?.group ?? "work"}`),
      keys: screen.nav?.keys, perform: () => visit(screen.path),
    })),
  ];
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

export function Palette() {
  const isOpen = useOpened();
  return (
    <Modal opened={isOpen} onClose={() => show(false)} withCloseButton={false} padding={8} title={null} aria-label={t("shell.palette")}>
      {isOpen && <Search />}
    </Modal>
  );
}

function Search() {
  const [query, setQuery] = useState("");
  const entries = useEntries().filter((entry) => matches(query, entry.title));
  const combobox = useCombobox({ opened: true });
  useEffect(() => {
    combobox.selectFirstOption();
  }, [query]); // eslint-disable-line react-hooks/exhaustive-deps
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(id) => {
        show(false);
        entries.find((entry) => entry.id === id)?.perform();
      }}
    >
      <Combobox.EventsTarget>
        <TextInput
          data-autofocus
          value={query}
          placeholder={t("palette.placeholder")}
          aria-label={t("palette.placeholder")}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
      </Combobox.EventsTarget>
      <Combobox.Options mt={8} mah={360} style={{ overflowY: "auto" }} aria-label={t("shell.palette")}>
        {entries.length === 0 && <Combobox.Empty>{t("palette.nothing")}</Combobox.Empty>}
        {entries.map((entry) => (
          <Combobox.Option key={entry.id} value={entry.id}>
            <span style={{ display: "flex", gap: 10, alignItems: "center" }}>
              {entry.hint === t("palette.action") ? <IconBolt aria-hidden size={15} /> : <IconArrowRight aria-hidden size={15} />}
              <span style={{ flex: 1 }}>{entry.title}</span>
              <span className="muted">{entry.hint}</span>
              {entry.keys && <kbd>{entry.keys}</kbd>}
            </span>
          </Combobox.Option>
        ))}
      </Combobox.Options>
    </Combobox>
  );
}
