/** Code snippet, such as a command or JSON: scrolls, with a copy button. */

import { ActionIcon, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

import { t } from "@/i18n";

import styles from "./Snippet.module.css";

export function Snippet({ label, text }: { label: string; text: string }) {
  return (
    <div className={styles.box}>
      {/* What is larger than the box scrolls by key as well. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className={styles.lines} role="region" aria-label={label} tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? t("action.copied") : t("action.copy")} openDelay={300}>
            <ActionIcon className={styles.copy} variant="default" size={28} aria-label={t("ui.copy", { what: label })} onClick={copy}>
              {copied ? <IconCheck aria-hidden size={14} /> : <IconCopy aria-hidden size={14} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </div>
  );
}
