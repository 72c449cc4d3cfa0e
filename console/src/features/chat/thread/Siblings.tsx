/** Switches between the versions of a prompt, or the answers to one. */

import { ActionIcon } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";

import { t } from "@/i18n";

import type { Turn } from "../api";
import styles from "./Thread.module.css";

interface Props {
  turn: Turn;
  siblings: readonly Turn[];
  onSwitch: (id: string) => void;
}

export function Siblings({ turn, siblings, onSwitch }: Props) {
  if (siblings.length < 2) return null;
  const place = siblings.findIndex(({ id }) => id === turn.id);
  const step = (by: number, label: string, Arrow: typeof IconChevronLeft) => {
    const other = siblings[place + by];
    return (
      <ActionIcon variant="subtle" color="gray" size={26} aria-label={label} disabled={!other} onClick={() => other && onSwitch(other.id)}>
        <Arrow aria-hidden size={15} />
      </ActionIcon>
    );
  };
  const what = turn.role === "user" ? "prompt" : "answer";
  return (
    <span className={styles.siblings} role="group" aria-label={t(`chat.versions.${what}`)}>
      {step(-1, t("chat.versions.previous"), IconChevronLeft)}
      <span aria-live="polite">{t("chat.versions.place", { place: place + 1, count: siblings.length })}</span>
      {step(1, t("chat.versions.next"), IconChevronRight)}
    </span>
  );
}
