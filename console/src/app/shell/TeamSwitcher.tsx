/** The current team, with a menu of the others. */

import { IconSelector } from "@tabler/icons-react";
import { Suspense } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { useBrand } from "@/theme/brand";
import { useLate } from "@/ui/late/useLate";
import { lazily } from "@/ui/lazily";
import { Mark } from "@/ui/Mark";

import { RailButton } from "./RailButton";
import styles from "./TeamSwitcher.module.css";

const load = () => import("./TeamItems");
const TeamItems = lazily(load);

export function TeamSwitcher() {
  const { me } = useSession();
  const brand = useBrand();
  const { button, wanted, late } = useLate(load, "menu");
  return (
    <>
      <RailButton {...button}>
        <Mark />
        <span className={styles.names}>
          <b>{me.team.name}</b>
          <span>{brand.title === "Teamspace" ? me.org.name : brand.title}</span>
        </span>
        <span className="sr-only">{t("shell.team.switch")}</span>
        <IconSelector aria-hidden size={15} className={styles.arrow} />
      </RailButton>
      {wanted && (
        <Suspense>
          <TeamItems late={late} />
        </Suspense>
      )}
    </>
  );
}
