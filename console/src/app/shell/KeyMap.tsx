/** The keyboard shortcuts that work on the current screen, and in its list. */

import { Table } from "@mantine/core";

import { t, type MessageKey } from "@/i18n";
import { Dialog } from "@/ui/Dialog";

import { keyMap, useBindings, useLocalKeys, type Listed } from "../keyboard";
import styles from "./KeyMap.module.css";

export default function KeyMap() {
  return (
    <Dialog title={t("shell.keys")} onClose={keyMap.close}>
      <AllKeys />
    </Dialog>
  );
}

function AllKeys() {
  const local = useLocalKeys();
  const bindings = useBindings();
  if (local.length === 0) return <Keys label={t("shell.keys")} rows={bindings} />;
  return (
    <>
      <h3 className={styles.group}>{t("keys.local")}</h3>
      <Keys label={t("keys.local")} rows={local} />
      <h3 className={styles.group}>{t("keys.anywhere")}</h3>
      <Keys label={t("keys.anywhere")} rows={bindings} />
    </>
  );
}

function Keys({ label, rows }: { label: string; rows: readonly Listed[] }) {
  return (
    <Table aria-label={label}>
      <Table.Tbody>
        {rows.map(({ keys, title }) => (
          <Table.Tr key={keys}>
            <Table.Th scope="row" className={styles.title}>
              {title}
            </Table.Th>
            <Table.Td className={styles.keys}>
              {partsOf(keys).map((key) => (
                <kbd key={key}>{capOf(key)}</kbd>
              ))}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** A capital letter is typed with Shift. */
const partsOf = (keys: string): string[] => (/^[A-Z]$/.test(keys) ? ["Shift", keys] : keys.split(" "));

const CAPS: Readonly<Record<string, MessageKey>> = {
  Shift: "keys.cap.shift", Ctrl: "keys.cap.ctrl", Enter: "keys.cap.enter", Backspace: "keys.cap.backspace", Space: "keys.cap.space",
  Escape: "keys.cap.escape", Delete: "keys.cap.delete", letters: "keys.cap.letters",
};

function capOf(key: string): string {
  const cap = CAPS[key];
  return cap ? t(cap) : key;
}
