/** A job's result: a model's answer as text, anything else as JSON. */

import { number, t } from "@/i18n";
import { LateMarkdown } from "@/ui/markdown/LateMarkdown";
import { Snippet } from "@/ui/Snippet";

import { chatResultOf, type ChatResult } from "../shapes";
import { endingWords } from "../turns";
import styles from "./Job.module.css";

export function Result({ result }: { result: unknown }) {
  const answer = chatResultOf(result);
  return answer ? <Answer answer={answer} /> : <Snippet label={t("jobs.result")} text={JSON.stringify(result, null, 2)} />;
}

export function Answer({ answer }: { answer: ChatResult }) {
  const { text, finishReason: reason } = answer;
  return (
    <>
      <div className={styles.answer}>{text ? <LateMarkdown text={text} hosts /> : <span className="muted">{t("jobs.answer.none")}</span>}</div>
      <p className={styles.ending} data-tone={reason === "stop" ? undefined : "warning"}>
        {endingWords(reason)}
      </p>
      <Cost answer={answer} />
    </>
  );
}

function Cost({ answer: { model, usage } }: { answer: ChatResult }) {
  const cost = usage && t("jobs.answer.cost", { total: number(usage.total), prompt: number(usage.prompt), answer: number(usage.answer) });
  return <p className={styles.cost}>{[model, cost].filter(Boolean).join(" · ")}</p>;
}
