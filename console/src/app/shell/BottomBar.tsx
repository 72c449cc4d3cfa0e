/** A phone's navigation: the main screens, and the rest behind More. */

import { Drawer } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDots } from "@tabler/icons-react";
import { useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";

import { t } from "@/i18n";

import { useNavGroup } from "../navGroups";
import styles from "./BottomBar.module.css";
import { NavLink } from "./NavLink";
import link from "./NavLink.module.css";
import { NavGroup, Rail } from "./Rail";

export function BottomBar() {
  const [opened, { open, close }] = useDisclosure(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  useEffect(close, [path, close]);
  return (
    <>
      <nav className={styles.bar} aria-label={t("shell.quick")}>
        {useNavGroup("main")
          .filter(({ nav }) => nav.bottomBar)
          .map((screen) => (
            <NavLink key={screen.path} screen={screen} />
          ))}
        <button type="button" className={link.link} onClick={open}>
          <IconDots aria-hidden size={17} />
          {t("shell.more")}
        </button>
      </nav>
      <Drawer
        opened={opened}
        onClose={close}
        title={t("shell.more")}
        closeButtonProps={{ "aria-label": t("action.close") }}
        position="bottom"
        size="85%"
        classNames={{ content: styles.drawer, body: styles.body }}
      >
        <Rail foot={<NavGroup group="foot" />}>
          <NavGroup group="main" />
        </Rail>
      </Drawer>
    </>
  );
}
