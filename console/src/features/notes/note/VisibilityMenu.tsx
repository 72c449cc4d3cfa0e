/** Who sees a note, and for those who may, a way to change it. */

import { Menu, UnstyledButton } from "@mantine/core";
import { IconCheck, IconChevronDown } from "@tabler/icons-react";

import { t } from "@/i18n";

import { VISIBILITIES } from "../filters";
import type { Visibility } from "../text";
import { PICTURES, VisibilityWord } from "../VisibilityWord";
import styles from "./Facts.module.css";

interface Props {
  visibility: Visibility;
  shares: number;
  mayChange: boolean;
  onChange: (visibility: Visibility) => void;
}

export function VisibilityMenu({ visibility, shares, mayChange, onChange }: Props) {
  if (!mayChange) return <VisibilityWord visibility={visibility} />;
  const Picture = PICTURES[visibility];
  const word = t(`notes.visibility.${visibility}`);
  const words = shares > 0 ? t("notes.visibility.with_shares", { words: word, count: shares }) : word;
  return (
    <Menu width={280} position="bottom-start">
      <Menu.Target>
        <UnstyledButton className={styles.button} aria-label={t("notes.visibility.change", { now: words })}>
          <Picture aria-hidden size={13} />
          {words}
          <IconChevronDown aria-hidden size={12} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {VISIBILITIES.map((value) => {
          const Own = PICTURES[value];
          return (
            <Menu.RadioItem
              key={value}
              value={value}
              checked={value === visibility}
              checkIcon={<IconCheck aria-hidden size={15} />}
              closeMenuOnClick
              onChange={() => onChange(value)}
            >
              <span className={styles.choice}>
                <Own aria-hidden size={16} />
                <span>
                  {t(`notes.visibility.${value}`)}
                  <small>{t(`notes.visibility.${value}.words`)}</small>
                </span>
              </span>
            </Menu.RadioItem>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
