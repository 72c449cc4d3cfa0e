/** Contrast of a colour with its backgrounds: sample, ratio and result. */

import { Button } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { useMemo } from "react";

import { t } from "@/i18n";

import type { Draft } from "../draft";
import type { Reading } from "@/ui/tokens/contrast";
import { nearest } from "@/ui/tokens/nearest";
import type { Colour, Theme } from "@/ui/tokens/tokens";
import styles from "./Ratios.module.css";

interface Props {
  token: Colour;
  draft: Draft;
  disabled: boolean;
}

export function Ratios({ token, draft, disabled }: Props) {
  const { theme } = draft.look;
  // The accent is checked with its text; either can be changed.
  const mine = draft.readings.filter((each) => each.foreground === token || (token === "accent" && each.background === token));
  const broken = mine.some((each) => !each.passes);
  const better = useMemo(() => (broken ? nearest(token, theme) : undefined), [broken, token, theme]);
  if (mine.length === 0) return null;
  return (
    <div className={styles.ratios}>
      <ul>
        {mine.map((each) => (
          <Ratio key={each.background + each.foreground} reading={each} theme={theme} />
        ))}
      </ul>
      {broken && !disabled && better && (
        <Button variant="default" size="compact-sm" leftSection={<Swatch colour={better} />} onClick={() => draft.paint({ [token]: better })}>
          {t("branding.nearest")}
        </Button>
      )}
      {broken && !disabled && !better && <span className="muted">{t("branding.nearest.none")}</span>}
    </div>
  );
}

function Ratio({ reading, theme }: { reading: Reading; theme: Theme }) {
  const { foreground, shown, ratio, passes } = reading;
  return (
    <li className={passes ? styles.passes : styles.fails}>
      <Sample reading={reading} theme={theme} />
      <span>
        {foreground === "accent_text"
          ? t("branding.ratio.accent", { ratio: shown })
          : t("branding.ratio", { ratio: shown, ground: groundOf(reading) })}
      </span>
      {passes ? <IconCheck aria-hidden size={14} /> : <IconAlertTriangle aria-hidden size={14} />}
      <b>{passes ? t("branding.passes") : t("branding.fails", { required: ratio })}</b>
    </li>
  );
}

export function groundOf(reading: Reading): string {
  return t(`branding.on.${reading.background as "background" | "surface" | "accent"}`);
}

/** Sample letters; for the focus colour a ring, since it's never used for text. */
export function Sample({ reading, theme }: { reading: Reading; theme: Theme }) {
  const rings = reading.foreground === "focus";
  return (
    <span className={styles.sample} style={{ color: theme[reading.foreground], background: theme[reading.background] }} aria-hidden>
      {rings ? <span className={styles.ring} /> : t("branding.sample")}
    </span>
  );
}

function Swatch({ colour }: { colour: string }) {
  return <span className={styles.swatch} style={{ background: colour }} aria-hidden />;
}
