/** What is wrong with a spec: each line leads to its place. */

import { Button, Loader } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconPlugConnectedX } from "@tabler/icons-react";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";

import type { Check, Problem } from "./checking";
import styles from "./Editor.module.css";

interface Props {
  id: string;
  check: Check;
  slug: string;
  onJump: (problem: Problem) => void;
}

/** More are told as a number. */
const MOST = 100;

export function Problems({ id, check, slug, onJump }: Props) {
  const { problems } = check;
  return (
    <section className={styles.problems} aria-label={t("workflows.problems")}>
      <p id={id} className={styles.verdict} data-state={check.state} role="status">
        <Verdict check={check} slug={slug} />
      </p>
      {check.state === "unknown" && (
        <Button variant="default" size="xs" onClick={check.again}>
          {t("state.again")}
        </Button>
      )}
      {problems.length > 0 && (
        <ol className={styles.list}>
          {problems.slice(0, MOST).map((problem, place) => (
            <li key={place}>
              <button type="button" className={styles.problem} onClick={() => onJump(problem)}>
                <span className={styles.line}>{t("workflows.problem.line", { line: problem.line })}</span>
                <span>
                  {problem.words}
                  {problem.pointer && <code>{problem.pointer}</code>}
                </span>
              </button>
            </li>
          ))}
        </ol>
      )}
      {problems.length > MOST && <p className="muted">{t("workflows.problems.more", { count: problems.length - MOST })}</p>}
    </section>
  );
}

function Verdict({ check: { state, problems, version, fault }, slug }: { check: Check; slug: string }) {
  switch (state) {
    case "checking":
      return (
        <>
          <Loader size={14} aria-hidden />
          {t("workflows.checking")}
        </>
      );
    case "valid":
      return (
        <>
          <IconCircleCheck aria-hidden size={16} />
          {version && version > 1 ? t("workflows.valid.version", { slug, version }) : t("workflows.valid.new", { slug })}
        </>
      );
    case "invalid":
      return (
        <>
          <IconAlertTriangle aria-hidden size={16} />
          {t("workflows.invalid", { count: problems.length })}
        </>
      );
    default:
      return (
        <>
          <IconPlugConnectedX aria-hidden size={16} />
          {fault instanceof Refusal ? fault.message : t("state.failed.unknown")}
        </>
      );
  }
}
