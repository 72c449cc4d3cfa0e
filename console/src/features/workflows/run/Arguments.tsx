/** The arguments that a step's tool was called with. */

import { t } from "@/i18n";

import type { RunDetail } from "../api";
import type { Given } from "../spec/shapes";
import { bindingWords } from "../spec/words";
import { bound, type Place } from "./given";
import styles from "./Run.module.css";
import { shortOf } from "./values";

interface Props {
  run: RunDetail;
  given: readonly Given[];
  place?: Place;
}

export function Arguments({ run, given, place }: Props) {
  if (given.length === 0) return null;
  return (
    <dl className={styles.given} aria-label={t("workflows.step.given")}>
      {given.map(([name, binding]) => (
        <div key={name}>
          <dt>{name}</dt>
          <Argument binding={binding} run={run} place={place} />
        </div>
      ))}
    </dl>
  );
}

const LONGEST = 300;

/** A value that isn't known here is told by where it comes from. */
function Argument({ binding, run, place }: { binding: unknown; run: RunDetail; place?: Place }) {
  const known = bound(binding, run, place);
  return known ? <dd>{shortOf(known.value, LONGEST)}</dd> : <dd className="muted">{bindingWords(binding)}</dd>;
}
