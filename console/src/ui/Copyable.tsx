/** A value with a copy button: an ID, a key, a command. */

import { ActionIcon, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

import { t } from "@/i18n";

import styles from "./Copyable.module.css";

interface Props {
  value: string;
  /** Accessible name of the value. */
  label: string;
  /** Shown instead of a value that's too long. */
  short?: string;
}

export function Copyable({ value, label, short }: Props) {
  return (
    <span className={styles.line}>
      <code className={styles.value} title={short ? value : undefined}>
        {short ?? value}
      </code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? t("action.copied") : t("action.copy")} openDelay={300}>
            <ActionIcon variant="subtle" color="gray" size={24} aria-label={t("ui.copy", { what: label })} onClick={copy}>
              {copied ? <IconCheck aria-hidden size={14} /> : <IconCopy aria-hidden size={14} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </span>
  );
}
