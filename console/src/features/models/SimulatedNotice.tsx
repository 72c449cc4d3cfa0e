/** Says that answers are simulated, and how to connect a real model. */

import { Alert } from "@mantine/core";
import { IconFlask } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useSession } from "@/session";

import styles from "./Models.module.css";

export function SimulatedNotice() {
  return (
    <Alert className={styles.simulated} color="warning" icon={<IconFlask aria-hidden size={18} />} title={t("models.simulated.title")}>
      <p>{t("models.simulated.words")}</p>
      <HowToConnect />
    </Alert>
  );
}

function HowToConnect() {
  const { operator, can } = useSession();
  if (operator && can("instance:manage")) return <Link to="/settings/instance/executors">{t("models.connect")}</Link>;
  if (can("org:manage")) return <Link to="/settings/company/executors">{t("models.connect")}</Link>;
  return <p>{t("models.connect.ask")}</p>;
}
