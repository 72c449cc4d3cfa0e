/** A job that answers a prompt: the prompt, the steps of an agent, and the answer. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { ArtifactCard } from "@/ui/turns/ArtifactCard";
import type { Step } from "@/ui/turns/shapes";
import { ToolCard } from "@/ui/turns/ToolCard";

import type { TurnView } from "../turns";
import styles from "./Job.module.css";
import { Asked } from "./JobInput";
import { Answer } from "./Result";

export function Turn({ turn: { asked, conversationId, steps, answer }, id }: { turn: TurnView; id: string }) {
  return (
    <>
      <section aria-labelledby="job-prompt">
        <h2 id="job-prompt">{t("jobs.prompt")}</h2>
        <Asked chat={asked} />
        {conversationId && (
          <p className={styles.conversation}>
            <Link to="/chat/$id" params={{ id: conversationId }} search={{ at: id }}>
              {t("jobs.conversation")}
            </Link>
          </p>
        )}
      </section>
      {steps.length > 0 && (
        <section aria-labelledby="job-steps">
          <h2 id="job-steps">{t("jobs.steps")}</h2>
          <ol className={styles.steps}>
            {steps.map((step, place) => (
              <Done key={place} step={step} />
            ))}
          </ol>
        </section>
      )}
      {answer && (
        <section aria-labelledby="job-answer">
          <h2 id="job-answer">{t("jobs.answer")}</h2>
          <Answer answer={answer} />
        </section>
      )}
    </>
  );
}

function Done({ step }: { step: Step }) {
  return (
    <li>
      <ToolCard step={step} state="done" />
      {step.artifact && <ArtifactCard artifact={step.artifact} />}
    </li>
  );
}
