/** Colours, corners and font of the page, with too little contrast told at the colour; and its pictures and fonts. */

import { Button, NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";
import { Section } from "@/ui/Page";
import { readings, type Reading } from "@/ui/tokens/contrast";
import { nearest } from "@/ui/tokens/nearest";
import { COLOURS, FONTS, spelt, WIDEST_RADIUS, type Colour, type Theme } from "@/ui/tokens/tokens";

import { Assets } from "./Assets";
import styles from "./Editor.module.css";
import { completeTheme, withToken } from "./look";
import type { Editing } from "./useEditing";

const TOKENS: readonly Colour[] = Object.values(COLOURS).flat();

export function LookSection({ editing, brand }: { editing: Editing; brand: Theme }) {
  const theme = completeTheme(editing.edited.theme, brand);
  const failed = readings(theme).filter(({ passes }) => !passes);
  const paint = (token: string, value: unknown): void => editing.change((before) => ({ ...before, theme: withToken(before.theme, token, value, brand) }));
  const refusal = (token: string): string | undefined => editing.errorAt(`/theme/${token}`) ?? editing.errorAt(`/${token}`);
  return (
    <Section title={t("funnel.look")} intro={t("funnel.look.words")}>
      <div className={styles.tokens}>
        {TOKENS.map((token) => (
          <Token
            key={token}
            token={token}
            value={theme[token]}
            failed={failed.filter(({ foreground, background }) => foreground === token || (token === "accent" && background === token))}
            better={() => nearest(token, theme)}
            refusal={refusal(token)}
            onColour={(colour) => paint(token, colour)}
          />
        ))}
      </div>
      <div className={styles.pair}>
        <NumberInput label={t("branding.radius")} min={0} max={WIDEST_RADIUS} allowDecimal={false} value={theme.radius} error={refusal("radius")} onChange={(value) => typeof value === "number" && paint("radius", value)} />
        <NativeSelect label={t("branding.font")} value={theme.font} error={refusal("font")} data={FONTS.map((value) => ({ value, label: t(`branding.font.${value}`) }))} onChange={(event) => paint("font", event.currentTarget.value)} />
      </div>
      <Assets editing={editing} />
    </Section>
  );
}

interface TokenProps {
  token: Colour;
  value: string;
  failed: readonly Reading[];
  better: () => string | undefined;
  refusal?: string;
  onColour: (colour: string) => void;
}

function Token({ token, value, failed, better, refusal, onColour }: TokenProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const name = t(`branding.token.${token}`);
  const fix = failed.length > 0 ? better() : undefined;
  const contrast = failed.map((reading) => t("funnel.contrast", { ground: t(`branding.token.${reading.foreground === token ? reading.background : reading.foreground}`), ratio: reading.shown, required: reading.ratio }));
  const problems = [...contrast, ...(refusal && contrast.length === 0 ? [refusal] : [])];
  return (
    <div className={styles.token}>
      <input type="color" className={styles.swatch} aria-label={t("branding.pick", { token: name })} value={value} onChange={(event) => onColour(event.currentTarget.value)} />
      <TextInput
        className={styles.hexadecimal}
        label={name}
        spellCheck={false}
        value={typed ?? value}
        error={problems.length > 0 ? problems.join(" ") : typed !== null && !spelt(typed)}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          const colour = spelt(event.currentTarget.value);
          if (colour) onColour(colour);
        }}
        onBlur={() => setTyped(null)}
      />
      {fix && (
        <Button variant="default" size="compact-sm" onClick={() => onColour(fix)}>
          {t("branding.nearest")}
        </Button>
      )}
    </div>
  );
}
