/** Corner radius and font. */

import { Radio, Slider } from "@mantine/core";

import { t } from "@/i18n";
import { Section } from "@/ui/Page";

import type { Draft } from "../draft";
import { FONTS, WIDEST_RADIUS, type Font } from "@/ui/tokens/tokens";
import { Themed } from "@/ui/tokens/Themed";
import styles from "./Shape.module.css";

const ONLY = Object.fromEntries(FONTS.map((font) => [font, { font }])) as Record<Font, { font: Font }>;

export function Shape({ draft, disabled }: { draft: Draft; disabled: boolean }) {
  const { radius, font } = draft.look.theme;
  return (
    <Section title={t("branding.shape")} intro={t("branding.shape.words")}>
      <div className={styles.radius}>
        <b id="branding-radius">{t("branding.radius")}</b>
        <span className="muted">{t("branding.pixels", { count: radius })}</span>
        <Slider
          className={styles.slider}
          thumbProps={{ "aria-labelledby": "branding-radius" }}
          min={0}
          max={WIDEST_RADIUS}
          value={radius}
          label={null}
          disabled={disabled}
          onChange={(value) => draft.paint({ radius: value })}
        />
      </div>
      <Radio.Group label={t("branding.font")} value={font} onChange={(value) => draft.paint({ font: value as Font })}>
        <div className={styles.fonts}>
          {FONTS.map((each) => (
            <Radio.Card key={each} value={each} className={styles.font} disabled={disabled}>
              <Radio.Indicator disabled={disabled} />
              <span className={styles.words}>
                {t(`branding.font.${each}`)}
                <Themed theme={ONLY[each]} className={styles.sample}>
                  {t("branding.font.sample")}
                </Themed>
              </span>
            </Radio.Card>
          ))}
        </div>
      </Radio.Group>
    </Section>
  );
}
