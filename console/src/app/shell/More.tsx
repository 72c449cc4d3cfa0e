/** The rest of a phone's navigation, and what was opened last. */

import { Drawer } from "@mantine/core";

import { t } from "@/i18n";

import styles from "./BottomBar.module.css";
import { NavGroup, Rail } from "./Rail";
import { Shelves } from "./Shelves";

export default function More({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      title={t("shell.more")}
      closeButtonProps={{ "aria-label": t("action.close") }}
      position="bottom"
      size="85%"
      classNames={{ content: styles.drawer, body: styles.body }}
    >
      <Rail foot={<NavGroup group="foot" />}>
        <NavGroup group="main" />
        <Shelves />
      </Rail>
    </Drawer>
  );
}
