/** The button that translates, with what it will cost. */

import { Button } from "@mantine/core";
import { IconFlask } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { number, t } from "@/i18n";
import QuotaRefused from "@/ui/QuotaRefused";

import { useEstimate, useSimulated, useTokensLeft, type Input, type Languages } from "./queries";
import type { Running } from "./running";
import styles from "./Translate.module.css";

interface Props {
  /** What is estimated; null if there's nothing yet. */
  input: Input | null;
  languages: Languages | null;
  running: Running;
  disabled: boolean;
  onAsk: () => void;
}

export function Asking({ input, languages, running, disabled, onAsk }: Props) {
  return (
    <div className={styles.asking}>
      <Estimate input={input} languages={languages} />
      {running.busy && (
        <Button variant="default" onClick={running.stop}>
          {t("translate.stop")}
        </Button>
      )}
      <Button disabled={disabled} loading={running.busy} rightSection={<kbd className={styles.keys}>{KEYS}</kbd>} onClick={onAsk}>
        {t("translate.do")}
      </Button>
    </div>
  );
}

const KEYS = /Mac|iP(hone|ad)/.test(navigator.userAgent) ? "⌘ ↵" : "Ctrl ↵";

function Estimate({ input, languages }: Pick<Props, "input" | "languages">) {
  const estimate = useEstimate(input, languages);
  const left = useTokensLeft();
  const run = input && languages ? estimate.data : undefined;
  return (
    <p className={styles.estimate} aria-live="polite">
      {run && costWords(run.estimate.tokens, left)}
    </p>
  );
}

function costWords(tokens: number, left: number | null): string {
  if (tokens === 0) return t("translate.estimate.free");
  return left === null ? t("translate.estimate", { tokens }) : t("translate.estimate.left", { tokens, left: number(left) });
}

/** Says so before anything is sent. */
export function Blocked({ input, languages }: Pick<Props, "input" | "languages">) {
  const estimate = useEstimate(input, languages);
  const quota = input && languages ? estimate.data?.blocked_by : null;
  return quota ? <QuotaRefused quota={quota} /> : null;
}

export function Simulated() {
  if (!useSimulated()) return null;
  return (
    <Link to="/settings/team/models" className={styles.simulated}>
      <IconFlask aria-hidden size={14} />
      {t("translate.simulated")}
    </Link>
  );
}
