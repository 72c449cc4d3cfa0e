/** One theme colour: picker, hex code and contrast. */

import { ActionIcon, TextInput, Tooltip } from "@mantine/core";
import { IconRotate2 } from "@tabler/icons-react";
import { useId, useState } from "react";

import { t } from "@/i18n";

import type { Draft } from "../draft";
import { BASE, spelt, type Colour } from "@/ui/tokens/tokens";
import { Ratios } from "./Ratios";
import styles from "./TokenRow.module.css";

interface Props {
  token: Colour;
  draft: Draft;
  disabled: boolean;
  /** Error from the server. */
  refusal: string | undefined;
}

export function TokenRow({ token, draft, disabled, refusal }: Props) {
  const name = t(`branding.token.${token}`);
  const label = useId();
  const value = draft.look.theme[token];
  const paint = (colour: string): void => draft.paint({ [token]: colour });
  return (
    <div className={styles.row} role="group" aria-labelledby={label}>
      <input
        type="color"
        className={styles.swatch}
        aria-label={t("branding.pick", { token: name })}
        value={value}
        disabled={disabled}
        onChange={(event) => paint(event.currentTarget.value)}
      />
      <div className={styles.words}>
        <b id={label}>{name}</b>
        <span className="muted">{t(`branding.token.${token}.words`)}</span>
      </div>
      <Hexadecimal name={name} value={value} disabled={disabled} onColour={paint} />
      <Tooltip label={t("branding.reset", { colour: BASE[token] })}>
        <ActionIcon
          variant="subtle"
          className={styles.reset}
          aria-label={t("branding.reset.named", { token: name, colour: BASE[token] })}
          disabled={disabled || value === BASE[token]}
          onClick={() => paint(BASE[token])}
        >
          <IconRotate2 aria-hidden size={16} />
        </ActionIcon>
      </Tooltip>
      <Ratios token={token} draft={draft} disabled={disabled} />
      {refusal && (
        <p className={styles.refusal} role="alert">
          {refusal}
        </p>
      )}
    </div>
  );
}

interface HexadecimalProps {
  name: string;
  value: string;
  disabled: boolean;
  onColour: (colour: string) => void;
}

/** An incomplete colour is fine while typing; an invalid one is discarded on blur. */
function Hexadecimal({ name, value, disabled, onColour }: HexadecimalProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      className={styles.hexadecimal}
      aria-label={t("branding.hex", { token: name })}
      value={typed ?? value}
      readOnly={disabled}
      spellCheck={false}
      error={typed !== null && !spelt(typed)}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        const colour = spelt(event.currentTarget.value);
        if (colour) onColour(colour);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}
