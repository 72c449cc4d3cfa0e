/** Preview of the draft theme, light and dark. */

import { IconFile, IconNote, IconUsers } from "@tabler/icons-react";
import { useMemo } from "react";

import { t } from "@/i18n";

import type { Look } from "../draft";
import { derived } from "@/ui/tokens/dark";
import type { Theme } from "@/ui/tokens/tokens";
import { Themed } from "@/ui/tokens/Themed";
import styles from "./Preview.module.css";

export function Previews({ look }: { look: Look }) {
  const dark = useMemo(() => derived(look.theme), [look.theme]);
  return (
    <section className={styles.both} aria-label={t("branding.preview")}>
      <Preview look={look} theme={look.theme} caption={t("branding.preview.light")} />
      <Preview look={look} theme={dark} caption={t("branding.preview.dark")} />
      <p className="muted">{t("branding.preview.words")}</p>
    </section>
  );
}

function Preview({ look, theme, caption }: { look: Look; theme: Theme; caption: string }) {
  return (
    <figure className={styles.figure}>
      <Themed theme={theme} className={styles.frame} role="img" aria-label={t("branding.preview.of", { theme: caption })}>
        <Rail look={look} />
        <Pane />
      </Themed>
      <figcaption className="muted">{caption}</figcaption>
    </figure>
  );
}

function Rail({ look }: { look: Look }) {
  return (
    <span className={styles.rail}>
      <span className={styles.brand}>
        {look.logo ? <img src={look.logo} alt="" /> : <span className={styles.letter}>{look.title.trim().slice(0, 1).toUpperCase()}</span>}
        <b>{look.title}</b>
      </span>
      <span className={styles.current}>
        <IconNote size={13} /> {t("branding.preview.notes")}
      </span>
      <span className={styles.place}>
        <IconFile size={13} /> {t("branding.preview.files")}
      </span>
      <span className={styles.place}>
        <IconUsers size={13} /> {t("branding.preview.people")}
      </span>
    </span>
  );
}

function Pane() {
  return (
    <span className={styles.pane}>
      <b className={styles.title}>{t("branding.preview.title")}</b>
      <span className={styles.muted}>{t("branding.preview.meta")}</span>
      <span className={styles.text}>
        {t("branding.preview.text")} <span className={styles.link}>{t("branding.preview.link")}</span>
      </span>
      <span className={styles.states}>
        <span className={styles.success}>{t("branding.preview.success")}</span>
        <span className={styles.warning}>{t("branding.preview.warning")}</span>
        <span className={styles.danger}>{t("branding.preview.danger")}</span>
      </span>
      <span className={styles.field}>{t("branding.preview.field")}</span>
      <span className={styles.buttons}>
        <span className={styles.primary}>{t("branding.preview.primary")}</span>
        <span className={styles.button}>{t("branding.preview.button")}</span>
      </span>
    </span>
  );
}
