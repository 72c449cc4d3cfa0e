/** Buttons for what a translation takes over from its source: values, tags, and plural forms. */

import { UnstyledButton } from "@mantine/core";

import { t } from "@/i18n";
import chips from "@/ui/Chip.module.css";

import type { Message } from "../api";
import { begun, hasPlural, tagsIn } from "../icu";
import styles from "./Editor.module.css";

interface Props {
  message: Message;
  onInsert: (piece: string) => void;
  onReplace: (text: string) => void;
}

export function Placeholders({ message, onInsert, onReplace }: Props) {
  const { source, plural_categories: categories } = message;
  const plural = hasPlural(source);
  const inserted = [...message.arguments.map((name) => `{${name}}`), ...tagsIn(source), ...(plural ? ["#"] : [])];
  return (
    <div className={styles.pieces} role="group" aria-label={t("localization.insert")}>
      {inserted.map((piece) => (
        <UnstyledButton key={piece} className={chips.chip} aria-label={t("localization.insert.one", { piece })} onClick={() => onInsert(piece)}>
          <code>{piece}</code>
        </UnstyledButton>
      ))}
      <UnstyledButton className={chips.chip} onClick={() => onReplace(begun(source, categories))}>
        {t(plural ? "localization.insert.plural" : "localization.insert.source")}
      </UnstyledButton>
      {plural && <p className={styles.hint}>{t("localization.insert.categories", { categories: categories.join(", ") })}</p>}
    </div>
  );
}
