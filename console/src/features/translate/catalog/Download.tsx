/** Copies or downloads a translated catalog, in the structure of the original. */

import { Button, CopyButton } from "@mantine/core";
import { IconCheck, IconCopy, IconDownload } from "@tabler/icons-react";

import { t } from "@/i18n";
import { saveFile } from "@/ui/saveFile";

import type { CatalogOutcome } from "../outcomes";
import styles from "../Translate.module.css";

export function Download({ outcome: { catalog, translations, target } }: { outcome: CatalogOutcome }) {
  const file = `${JSON.stringify(catalog.rebuild(translations), null, 2)}\n`;
  return (
    <span className={styles.buttons}>
      <CopyButton value={file}>
        {({ copied, copy }) => (
          <Button variant="default" leftSection={copied ? <IconCheck aria-hidden size={15} /> : <IconCopy aria-hidden size={15} />} onClick={copy}>
            {copied ? t("action.copied") : t("action.copy")}
          </Button>
        )}
      </CopyButton>
      <Button variant="default" leftSection={<IconDownload aria-hidden size={15} />} onClick={() => saveFile(`${target}.json`, new Blob([file], { type: "application/json" }))}>
        {t("translate.catalog.download")}
      </Button>
    </span>
  );
}
