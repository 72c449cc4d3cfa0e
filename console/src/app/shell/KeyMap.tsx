/** The list of keys, made of the same table that they are read from. */

import { Modal, Table } from "@mantine/core";

import { t } from "@/i18n";

import { closeKeys, useBindings, useKeysOpened } from "../keyboard";

export function KeyMap() {
  const bindings = useBindings();
  return (
    <Modal opened={useKeysOpened()} onClose={closeKeys} title={t("shell.keys")}>
      <Table>
        <Table.Tbody>
          {bindings.map((binding) => (
            <Table.Tr key={binding.keys}>
              <Table.Td>{binding.title}</Table.Td>
              <Table.Td ta="right">
                {binding.keys.split(" ").map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
