/** The team has turned a feature off. Not beside the other states: they are also shown where no router is. */

import { IconToggleLeft } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import type { Feature } from "@/api/client";
import { t } from "@/i18n";

import { WhoCanHelp } from "./states";
import styles from "./states.module.css";

export function TurnedOff({ feature, mayTurnOn }: { feature: Feature; mayTurnOn: boolean }) {
  return (
    <div className={styles.state} role="alert">
      <IconToggleLeft aria-hidden size={36} stroke={1.25} className={styles.picture} />
      <h1>{t("state.off", { feature: t(`features.${feature}`) })}</h1>
      {mayTurnOn ? <Link to="/settings/team/features">{t("state.off.link")}</Link> : <WhoCanHelp scope="team" />}
    </div>
  );
}
