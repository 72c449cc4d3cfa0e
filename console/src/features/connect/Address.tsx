/** S3 endpoint, region and bucket of the team. */

import { t } from "@/i18n";
import { Copyable } from "@/ui/Copyable";

import styles from "./Connect.module.css";
import type { Credentials } from "./queries";

export function Address({ at }: { at: Credentials }) {
  return (
    <dl className={styles.address}>
      {(["endpoint", "bucket", "region"] as const).map((part) => (
        <div key={part}>
          <dt>{t(`connect.${part}`)}</dt>
          <dd>
            <Copyable value={at[part]} label={t(`connect.${part}`)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
