/** A job's result: a model's answer as text, anything else as JSON. */

import { number, t } from "@/i18n";
import { Markdown } from "@/ui/markdown/Markdown";
import { Snippet } from "@/ui/Snippet";

import { chatResultOf, type ChatResult } from "../shapes";
import styles from "./Job.module.css";

export function Result({ result }: { result: unknown }) {
  const answer = chatResultOf(result);
  if (!answer) return <Snippet label={t("jobs.result")} text={JSON.stringify(result, null, 2)} />;
  return (
    <>
      <div className={styles.answer}>
        <Markdown text={answer.text} />
      </div>
      {answer.finishReason === "length" && <p className={styles.cut}>{t("jobs.answer.cut")}</p>}
      <Cost answer={answer} />
    </>
  );
}

function Cost({ answer: { model, usage } }: { answer: ChatResult }) {
  const cost = usage && t("jobs.answer.cost", { total: number(usage.total), prompt: number(usage.prompt), answer: number(usage.answer) });
  return <p className={styles.cost}>{[model, cost].filter(Boolean).join(" · ")}</p>;
}
