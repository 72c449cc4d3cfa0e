/** Access level of an item, as a menu for those who can change it. */

import { Menu, UnstyledButton } from "@mantine/core";
import { IconCheck, IconChevronDown } from "@tabler/icons-react";

import { t } from "@/i18n";

import chips from "../Chip.module.css";
import type { Visibility } from "../writing/text";
import styles from "./VisibilityMenu.module.css";
import { PICTURES, VISIBILITIES, VisibilityWord } from "./VisibilityWord";

interface Props {
  visibility: Visibility;
  shares: number;
  mayChange: boolean;
  onChange: (visibility: Visibility) => void;
}

export function VisibilityMenu({ visibility, shares, mayChange, onChange }: Props) {
  if (!mayChange) return <VisibilityWord visibility={visibility} />;
  const Picture = PICTURES[visibility];
  const word = t(`visibility.${visibility}`);
  const words = shares > 0 ? t("visibility.with_shares", { words: word, count: shares }) : word;
  return (
    <Menu width={280} position="bottom-start">
      <Menu.Target>
        <UnstyledButton className={chips.chip} aria-label={t("visibility.change", { now: words })}>
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
                  {t(`visibility.${value}`)}
                  <small>{t(`visibility.${value}.words`)}</small>
                </span>
              </span>
            </Menu.RadioItem>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
