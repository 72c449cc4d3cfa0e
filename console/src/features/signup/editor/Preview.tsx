/** The page as visitors would see it, as it is typed: one language, light or dark, desktop or phone. It can't be used. */

import { useEffect, useMemo, useState } from "react";

import { t } from "@/i18n";
import { directionOf } from "@/i18n/direction";
import { useBrand } from "@/theme/brand";
import { Segments } from "@/ui/Segments";
import { derived } from "@/ui/tokens/dark";
import { Themed } from "@/ui/tokens/Themed";
import type { Theme } from "@/ui/tokens/tokens";

import type { Copy } from "../api";
import { textIn, type Edited, type Field } from "./document";
import { assetUrl, completeTheme } from "./look";
import styles from "./Preview.module.css";

type Width = "desktop" | "phone";
type Scheme = "light" | "dark";

export function Preview({ edited, locale, brand }: { edited: Edited; locale: string; brand: Theme }) {
  const [width, setWidth] = useState<Width>("desktop");
  const [scheme, setScheme] = useState<Scheme>("light");
  const light = useMemo(() => completeTheme(edited.theme, brand), [edited.theme, brand]);
  const theme = useMemo(() => (scheme === "dark" ? derived(light) : light), [scheme, light]);
  const text = (name: keyof Copy): string => textIn(Object.fromEntries(Object.entries(edited.copy).map(([each, copy]) => [each, copy[name]])), locale);
  const { title: company, logo: companyLogo } = useBrand();
  const [logo, hero] = [assetUrl(edited.theme.logo) ?? companyLogo, assetUrl(edited.theme.hero)];
  useFont(assetUrl(edited.theme.font_file));
  return (
    <section className={styles.preview} aria-label={t("branding.preview")}>
      <div className={styles.choices}>
        <Segments<Width>
          aria-label={t("funnel.preview.width")}
          value={width}
          onChange={setWidth}
          data={[
            { value: "desktop", label: t("funnel.preview.desktop") },
            { value: "phone", label: t("funnel.preview.phone") },
          ]}
        />
        <Segments<Scheme>
          aria-label={t("funnel.preview.scheme")}
          value={scheme}
          onChange={setScheme}
          data={[
            { value: "light", label: t("branding.preview.light") },
            { value: "dark", label: t("branding.preview.dark") },
          ]}
        />
      </div>
      <div className={styles.frame} data-width={width} inert>
        <Themed theme={theme} className={styles.page} lang={locale} dir={directionOf(locale)}>
          {logo ? <img className={styles.logo} src={logo} alt="" /> : <b>{company}</b>}
          {hero && <img className={styles.hero} src={hero} alt="" />}
          <span className={styles.title}>{text("title") || t("signup.title")}</span>
          {text("intro") && <span className={styles.intro}>{text("intro")}</span>}
          <span className={styles.form}>
            {edited.fields.map((field) => (
              <FieldPreview key={field.key} field={field} locale={locale} />
            ))}
            <span className={styles.submit}>{text("submit") || t("signup.submit")}</span>
          </span>
          <span className={styles.form}>
            <b>{t("signup.done")}</b>
            <span>{text("thanks") || t("signup.thanks")}</span>
          </span>
        </Themed>
      </div>
    </section>
  );
}

/** As in the style sheet: until the file is loaded, and without one, the next font is used. */
const FAMILY = "Sign-up preview";

function useFont(url: string | undefined): void {
  useEffect(() => {
    if (!url) return;
    const face = new FontFace(FAMILY, `url("${url}")`, { display: "swap" });
    document.fonts.add(face);
    // A file that is no font shows the next one, as it does to visitors.
    face.load().catch(() => document.fonts.delete(face));
    return () => void document.fonts.delete(face);
  }, [url]);
}

function FieldPreview({ field, locale }: { field: Field; locale: string }) {
  const label = (
    <span className={styles.label}>
      {textIn(field.label, locale) || field.name}
      {!field.required && <span className={styles.optional}> ({t("signup.optional")})</span>}
    </span>
  );
  if (field.type === "checkbox") {
    return (
      <span className={styles.check}>
        <span className={styles.box} />
        {label}
      </span>
    );
  }
  return (
    <span className={styles.field}>
      {label}
      <span className={styles.input} data-type={field.type}>
        {field.type === "select" && t("signup.choose")}
      </span>
    </span>
  );
}
