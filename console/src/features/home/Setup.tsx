/** What is left to set up, until it is done or dismissed. */

import { Button } from "@mantine/core";
import { IconCircle, IconCircleCheck } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";

import type { Checklist } from "./checklist";
import styles from "./HomeScreen.module.css";
import { Part } from "./Part";

export function Setup({ steps, dismiss }: Checklist) {
  const done = steps.filter((step) => step.done).length;
  return (
    <Part
      title={t("home.setup")}
      action={
        <>
          <span className="muted">{t("home.setup.done", { done, count: steps.length })}</span>
          <Button variant="subtle" color="gray" size="compact-xs" onClick={dismiss}>
            {t("home.setup.dismiss")}
          </Button>
        </>
      }
    >
      <ul className={styles.steps}>
        {steps.map((step) => (
          <li key={step.title} data-done={step.done}>
            {step.done ? <IconCircleCheck aria-hidden size={18} /> : <IconCircle aria-hidden size={18} stroke={1.6} />}
            <span>
              {step.done ? <s>{t(step.title)}</s> : <Link to={step.to}>{t(step.title)}</Link>}
              {step.done ? <span className="sr-only">{t("home.setup.step_done")}</span> : <span className="muted">{t(step.words)}</span>}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}
