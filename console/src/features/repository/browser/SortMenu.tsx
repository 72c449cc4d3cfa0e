/** Order of a folder, where it has no column titles. */

import { Button, Menu } from "@mantine/core";
import { IconCheck, IconSortAscending, IconSortDescending } from "@tabler/icons-react";

import { t } from "@/i18n";

import styles from "./Files.module.css";
import { COLUMNS, turned, type Order } from "./order";

interface Props {
  order: Order;
  onOrder: (order: Order) => void;
  /** On wide screens too. */
  always: boolean;
}

export function SortMenu({ order, onOrder, always }: Props) {
  const Arrow = order.descending ? IconSortDescending : IconSortAscending;
  return (
    <div className={styles.sort} data-always={always || undefined}>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <Button size="compact-md" variant="subtle" color="gray" leftSection={<Arrow aria-hidden size={16} />}>
            {t("files.sort.by", { column: t(`files.column.${order.by}`) })}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {COLUMNS.map((column) => (
            <Menu.RadioItem
              key={column}
              value={column}
              checked={column === order.by}
              checkIcon={<IconCheck aria-hidden size={15} />}
              onChange={() => column !== order.by && onOrder(turned(order, column))}
            >
              {t(`files.column.${column}`)}
            </Menu.RadioItem>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<Arrow aria-hidden size={15} />} onClick={() => onOrder({ ...order, descending: !order.descending })}>
            {t("files.sort.turn")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
