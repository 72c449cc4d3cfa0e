/** The texts before and after one, on request: what is translated beside it tells what it's about. */

import { useState } from "react";

import { t } from "@/i18n";
import { Failed, Loading } from "@/ui/states";

import type { Message } from "../api";
import { useAround } from "../queries";
import { Words } from "../Words";
import { currentText } from "./text";
import styles from "./Texts.module.css";

/** Once shown, shown for the next text too. */
let isShown = false;

export function Around({ message, source }: { message: Message; source: string }) {
  const [shown, setShown] = useState(isShown);
  return (
    <details
      className={styles.around}
      open={shown}
      onToggle={(event) => {
        isShown = event.currentTarget.open;
        setShown(isShown);
      }}
    >
      <summary>{t("localization.around")}</summary>
      {shown && <Neighbours message={message} source={source} />}
    </details>
  );
}

function Neighbours({ message, source }: { message: Message; source: string }) {
  const around = useAround(message);
  if (around.isPending) return <Loading />;
  if (around.isError) return <Failed error={around.error} again={() => void around.refetch()} />;
  return (
    <dl className={styles.neighbours}>
      {around.data.items.map((one) => (
        <div key={one.id} aria-current={one.id === message.id || undefined}>
          <dt>
            <Words text={one.source} lang={source} />
          </dt>
          <dd>{currentText(one) ? <Words text={currentText(one)} lang={one.locale} /> : <span className="muted">{t("localization.untranslated")}</span>}</dd>
        </div>
      ))}
    </dl>
  );
}
