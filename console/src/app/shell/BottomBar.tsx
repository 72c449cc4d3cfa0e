/** A phone's navigation: the main screens, and the rest behind More. */

import { useDisclosure } from "@mantine/hooks";
import { IconDots } from "@tabler/icons-react";
import { useRouterState } from "@tanstack/react-router";
import { Suspense, useEffect, useState } from "react";

import { t } from "@/i18n";
import { lazily } from "@/ui/lazily";

import { useNavGroup } from "../navGroups";
import styles from "./BottomBar.module.css";
import { NavLink } from "./NavLink";
import link from "./NavLink.module.css";

const More = lazily(() => import("./More"));

export function BottomBar() {
  const [opened, { open, close }] = useDisclosure(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [wanted, setWanted] = useState(false);
  if (opened && !wanted) setWanted(true);
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
      {wanted && (
        <Suspense>
          <More opened={opened} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
