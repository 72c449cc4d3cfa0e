/** The keyboard shortcuts that work on the current screen. */

import { Table } from "@mantine/core";

import { t } from "@/i18n";
import { Dialog } from "@/ui/Dialog";

import { keyMap, useBindings } from "../keyboard";
import styles from "./KeyMap.module.css";

export default function KeyMap() {
  return (
    <Dialog title={t("shell.keys")} onClose={keyMap.close}>
      <Keys />
    </Dialog>
  );
}

function Keys() {
  return (
    <Table aria-label={t("shell.keys")}>
      <Table.Tbody>
        {useBindings().map(({ keys, title }) => (
          <Table.Tr key={keys}>
            <Table.Th scope="row" className={styles.title}>
              {title}
            </Table.Th>
            <Table.Td className={styles.keys}>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
