/** Code in a text: coloured by its language, scrolls, with a copy button. */

import { Button, CopyButton } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useEffect, useState } from "react";

import { t } from "@/i18n";

import styles from "./Code.module.css";

type Highlight = typeof import("./highlight").default;

let loaded: Highlight | undefined;

/** Plain until the grammars are there, and if they don't come. */
function useHighlight(wanted: boolean): Highlight | undefined {
  const [, setReady] = useState(loaded !== undefined);
  useEffect(() => {
    if (!wanted || loaded) return;
    let current = true;
    void import("./highlight").then(
      (module) => {
        loaded = module.default;
        if (current) setReady(true);
      },
      () => undefined,
    );
    return () => void (current = false);
  }, [wanted]);
  return loaded;
}

export function Code({ code, language }: { code: string; language?: string }) {
  const highlight = useHighlight(language !== undefined);
  return (
    <div className={styles.block}>
      <div className={styles.head}>
        <span>{language ?? t("markdown.code")}</span>
        <CopyButton value={code}>
          {({ copied, copy }) => (
            <Button
              variant="subtle"
              color="gray"
              size="compact-xs"
              leftSection={copied ? <IconCheck aria-hidden size={13} /> : <IconCopy aria-hidden size={13} />}
              aria-label={copied ? t("action.copied") : t("ui.copy", { what: t("markdown.code") })}
              onClick={copy}
            >
              {copied ? t("action.copied") : t("action.copy")}
            </Button>
          )}
        </CopyButton>
      </div>
      {/* Scrolls by keyboard, too. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre role="region" aria-label={t("markdown.code")} tabIndex={0}>
        <code>{language && highlight ? highlight(code, language) : code}</code>
      </pre>
    </div>
  );
}
