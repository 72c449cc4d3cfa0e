/** Live preview next to the editor; very long texts render on demand. */

import { Button } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";

import { t } from "@/i18n";
import { Markdown } from "@/ui/markdown/Markdown";

import styles from "./Editing.module.css";
import type { Written } from "./text";
import title from "./Title.module.css";

/** Above this length, live rendering would slow down typing. */
const LONG = 60_000;
/** The longer the text, the longer the debounce. */
const CHARACTERS_A_MILLISECOND = 50;

export function Preview({ text }: { text: Written }) {
  const isLong = text.body.length > LONG;
  return (
    <section className={styles.preview} aria-label={t("writing.side.preview")}>
      <p className={title.title}>{text.title.trim() || t("writing.untitled")}</p>
      {isLong ? <OnDemand body={text.body} /> : <Live body={text.body} />}
    </section>
  );
}

function Live({ body }: { body: string }) {
  const [rested] = useDebouncedValue(body, body.length / CHARACTERS_A_MILLISECOND);
  return <Markdown text={rested} />;
}

function OnDemand({ body }: { body: string }) {
  const [drawn, setDrawn] = useState<string | null>(null);
  return (
    <>
      {drawn !== body && (
        <p className={styles.stale}>
          {t(drawn === null ? "writing.preview.long" : "writing.preview.stale")}
          <Button size="compact-sm" variant="default" onClick={() => setDrawn(body)}>
            {t("writing.preview.draw")}
          </Button>
        </p>
      )}
      {drawn !== null && <Markdown text={drawn} />}
    </>
  );
}
