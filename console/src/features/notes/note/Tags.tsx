/** Tags of a note: each links to notes with the same tag; editors can change them. */

import { Popover, TagsInput, UnstyledButton } from "@mantine/core";
import { IconTag } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { t } from "@/i18n";
import chips from "@/ui/Chip.module.css";

import { useKnownTags } from "../knownTags";
import { LONGEST_TAG, MOST_TAGS } from "../text";
import styles from "./Facts.module.css";

interface Props {
  tags: string[];
  mayChange: boolean;
  onChange: (tags: string[]) => void;
}

export function Tags({ tags, mayChange, onChange }: Props) {
  return (
    <span className={styles.tags}>
      {tags.map((tag) => (
        <Link key={tag} to="/notes" search={{ tag }} className={styles.tag} aria-label={t("notes.tag.others", { tag })}>
          <bdi>#{tag}</bdi>
        </Link>
      ))}
      {mayChange && <Change tags={tags} onChange={onChange} />}
    </span>
  );
}

function Change({ tags, onChange }: Omit<Props, "mayChange">) {
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
          data={useKnownTags()}
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
