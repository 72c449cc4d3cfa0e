/** Contrast of all colour pairs in the theme. */

import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";

import { t } from "@/i18n";

import type { Draft } from "../draft";
import styles from "./Contrast.module.css";
import { groundOf, Sample } from "./Ratios";

export function Contrast({ draft }: { draft: Draft }) {
  return (
    <table className={styles.table}>
      <caption>{t("branding.contrast")}</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">{t("branding.contrast.pair")}</th>
          <th scope="col">{t("branding.contrast.ratio")}</th>
          <th scope="col">{t("branding.contrast.enough")}</th>
        </tr>
      </thead>
      <tbody>
        {draft.readings.map((reading) => (
          <tr key={reading.foreground + reading.background} data-fails={!reading.passes || undefined}>
            <th scope="row">
              <Sample reading={reading} theme={draft.look.theme} />
              {t("branding.pair", { figure: t(`branding.token.${reading.foreground}`), ground: groundOf(reading) })}
            </th>
            <td>{t("branding.contrast.value", { ratio: reading.shown })}</td>
            <td>
              {reading.passes ? <IconCheck aria-hidden size={14} /> : <IconAlertTriangle aria-hidden size={14} />}
              {reading.passes ? t("branding.passes") : t("branding.fails", { required: reading.ratio })}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
