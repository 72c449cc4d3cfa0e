/** Tags of a text: each links to the others with the same tag; editors can change them. */

import { Popover, TagsInput, UnstyledButton } from "@mantine/core";
import { IconTag } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { t } from "@/i18n";
import chips from "@/ui/Chip.module.css";

import styles from "./Tags.module.css";

export const LONGEST_TAG = 50;
const MOST_TAGS = 20;

interface Props {
  /** List that a tag leads to. */
  to: "/notes" | "/documents";
  tags: string[];
  /** Suggestions. */
  known: string[];
  mayChange: boolean;
  onChange: (tags: string[]) => void;
}

export function Tags({ to, tags, known, mayChange, onChange }: Props) {
  return (
    <span className={styles.tags}>
      {tags.map((tag) => (
        <Link key={tag} to={to} search={{ tag }} className={styles.tag} aria-label={t(to === "/notes" ? "notes.tag.others" : "documents.tag.others", { tag })}>
          <bdi>#{tag}</bdi>
        </Link>
      ))}
      {mayChange && <Change tags={tags} known={known} onChange={onChange} />}
    </span>
  );
}

function Change({ tags, known, onChange }: Pick<Props, "tags" | "known" | "onChange">) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover opened={opened} onChange={setOpened} width={300} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton className={chips.chip} onClick={() => setOpened(!opened)}>
          <IconTag aria-hidden size={13} />
          {tags.length === 0 ? t("notes.tags.add") : t("notes.tags.change")}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("notes.tags")}>
        <TagsInput
          label={t("notes.tags")}
          description={t("notes.tags.hint")}
          value={tags}
          onChange={(values) => onChange(values.map(clean).filter(Boolean))}
          data={known}
          maxTags={MOST_TAGS}
          splitChars={[",", ";"]}
          acceptValueOnBlur
          comboboxProps={{ withinPortal: false }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

const clean = (tag: string): string => tag.normalize("NFKC").trim().replace(/^#/, "").slice(0, LONGEST_TAG);
