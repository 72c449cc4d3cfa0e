/** A text and its translation, closed: one button over the whole line. */

import { UnstyledButton } from "@mantine/core";
import { memo } from "react";

import { t } from "@/i18n";
import { Tag } from "@/ui/Tag";

import type { Message } from "../api";
import { ReviewTag, StatusTag } from "../StatusTag";
import type { Unsent } from "../unsent";
import { Words } from "../Words";
import { currentText } from "./text";
import styles from "./Texts.module.css";

interface Props {
  message: Message;
  source: string;
  unsent?: Unsent;
  onOpen: () => void;
}

/** Typing into one row doesn't draw the others. */
export const Row = memo(ClosedRow, (before, after) => before.message === after.message && before.unsent === after.unsent && before.source === after.source);

function ClosedRow({ message, source, unsent, onOpen }: Props) {
  const warnings = message.warnings?.length ?? 0;
  const text = unsent?.text ?? currentText(message);
  return (
    <li>
      <UnstyledButton className={styles.row} data-row={message.id} onClick={onOpen}>
        <span className={styles.above}>
          <code>{`${message.namespace}.${message.key}`}</code>
          <span className={styles.tags}>
            {unsent && <Tag tone="warning">{t("localization.unsent")}</Tag>}
            {warnings > 0 && <Tag tone="warning">{t("localization.warnings", { count: warnings })}</Tag>}
            {message.review && <ReviewTag review={message.review} />}
            <StatusTag status={message.status} />
          </span>
        </span>
        <Words text={message.source} lang={source} />
        {text ? <Words text={text} lang={message.locale} /> : <span className="muted">{t("localization.untranslated")}</span>}
      </UnstyledButton>
    </li>
  );
}
