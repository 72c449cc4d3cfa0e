/** A spec as a graph, from top to bottom. It is an ordered list with branches, so it reads the same without seeing it. */

import { IconArrowMoveRight, IconArrowsSplit2, IconRepeat, IconTool, IconAlertTriangle, IconFlag } from "@tabler/icons-react";
import { useId, useMemo, type ReactNode } from "react";

import { t } from "@/i18n";
import { Tag } from "@/ui/Tag";

import { layOut, type ChoiceNode, type Node } from "../spec/layout";
import type { Given, Spec, SpecStep } from "../spec/shapes";
import { bindingWords, conditionWords, overWords } from "../spec/words";
import styles from "./Graph.module.css";

/** Branches side by side up to this depth; deeper ones stand below each other. */
const BESIDE = 2;

interface Drawing {
  /** Prefix of the ids of the cards. */
  root: string;
  faulty?: ReadonlySet<string>;
  onPick?: (step: string) => void;
  below?: (step: string) => ReactNode;
}

interface Props extends Omit<Drawing, "root"> {
  spec: Spec;
  label: string;
}

/** `onPick` makes each card a button, `faulty` marks steps with errors, `below` adds to a card. */
export function Graph({ spec, label, ...rest }: Props) {
  const root = useId();
  const { nodes, unreached } = useMemo(() => layOut(spec), [spec]);
  const drawing = { ...rest, root };
  return (
    // What is wider than the page scrolls by key as well.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles.graph} role="region" aria-label={label} tabIndex={0}>
      <Lane nodes={nodes} depth={0} drawing={drawing} />
      {unreached.length > 0 && (
        <section className={styles.unreached} aria-label={t("workflows.graph.unreached")}>
          <p>
            <IconAlertTriangle aria-hidden size={15} />
            {t("workflows.graph.unreached")}
          </p>
          <ul>
            {unreached.map((step, place) => (
              <li key={place}>
                <Card step={step} drawing={drawing} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Lane({ nodes, depth, drawing }: { nodes: readonly Node[]; depth: number; drawing: Drawing }) {
  return (
    <ol className={styles.lane}>
      {nodes.map((node, place) => (
        <li key={place}>
          <Drawn node={node} depth={depth} drawing={drawing} />
        </li>
      ))}
    </ol>
  );
}

function Drawn({ node, depth, drawing }: { node: Node; depth: number; drawing: Drawing }) {
  if (node.type === "jump") return <Jump to={node.to} known={node.known} root={drawing.root} />;
  if (node.type === "choice") return <Choice node={node} depth={depth} drawing={drawing} />;
  return (
    <>
      <Card step={node.step} drawing={drawing} />
      {node.ends && (
        <p className={styles.end}>
          <IconFlag aria-hidden size={13} />
          {t("workflows.graph.end")}
        </p>
      )}
    </>
  );
}

function Choice({ node: { step, then, otherwise }, depth, drawing }: { node: ChoiceNode; depth: number; drawing: Drawing }) {
  return (
    <>
      <Card step={step} drawing={drawing} />
      <div className={styles.branches} data-stacked={depth >= BESIDE || undefined}>
        <Branch title={t("workflows.graph.yes")} nodes={then} depth={depth} drawing={drawing} />
        <Branch title={t("workflows.graph.no")} nodes={otherwise} depth={depth} drawing={drawing} />
      </div>
    </>
  );
}

function Branch({ title, nodes, depth, drawing }: { title: string; nodes: readonly Node[]; depth: number; drawing: Drawing }) {
  return (
    <section className={styles.branch} aria-label={title} data-over={isOver(nodes) || undefined}>
      <p className={styles.way} aria-hidden>
        {title}
      </p>
      {nodes.length > 0 ? <Lane nodes={nodes} depth={depth + 1} drawing={drawing} /> : <p className={styles.through}>{t("workflows.graph.through")}</p>}
    </section>
  );
}

/** Whether nothing follows below. */
function isOver(nodes: readonly Node[]): boolean {
  const last = nodes.at(-1);
  if (!last) return false;
  if (last.type === "choice") return isOver(last.then) && isOver(last.otherwise);
  return last.type === "jump" || last.ends;
}

function Jump({ to, known, root }: { to: string; known: boolean; root: string }) {
  if (!known) {
    return (
      <p className={styles.lost}>
        <IconAlertTriangle aria-hidden size={14} />
        {t("workflows.graph.missing", { step: to })}
      </p>
    );
  }
  const go = (): void => {
    const card = document.getElementById(`${root}-${to}`);
    card?.scrollIntoView({ block: "center", inline: "center" });
    card?.focus();
  };
  return (
    <button type="button" className={styles.jump} onClick={go}>
      <IconArrowMoveRight aria-hidden size={14} />
      {t("workflows.graph.jump", { step: to })}
    </button>
  );
}

const PICTURES = { tool: IconTool, map: IconRepeat, choice: IconArrowsSplit2 };

function Card({ step, drawing: { root, faulty, onPick, below } }: { step: SpecStep; drawing: Drawing }) {
  const Picture = PICTURES[step.kind];
  const isFaulty = faulty?.has(step.id);
  return (
    <div id={`${root}-${step.id}`} tabIndex={-1} className={styles.card} data-kind={step.kind} data-faulty={isFaulty || undefined}>
      <div className={styles.head}>
        <Picture aria-hidden size={15} />
        {onPick ? (
          <button type="button" className={styles.pick} title={t("workflows.graph.pick")} onClick={() => onPick(step.id)}>
            {step.id}
          </button>
        ) : (
          <b>{step.id}</b>
        )}
        <span className={styles.tags}>
          {isFaulty && <Tag tone="danger">{t("workflows.graph.faulty")}</Tag>}
          {step.retry > 0 && <Tag>{t("workflows.graph.retry", { count: step.retry })}</Tag>}
        </span>
      </div>
      <Body step={step} />
      {below?.(step.id)}
    </div>
  );
}

function Body({ step }: { step: SpecStep }) {
  if (step.kind === "choice") return <p className={styles.condition}>{t("workflows.graph.if", { condition: conditionWords(step.when) })}</p>;
  return (
    <>
      {step.kind === "map" && <p className={styles.condition}>{t("workflows.graph.each", { list: overWords(step.over) })}</p>}
      <p className={styles.tool}>
        <span className="sr-only">{t("workflows.graph.tool")} </span>
        <code>{step.tool}</code>
      </p>
      {step.given.length > 0 && <Arguments given={step.given} />}
    </>
  );
}

function Arguments({ given }: { given: readonly Given[] }) {
  return (
    <dl className={styles.arguments}>
      {given.map(([name, binding]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{bindingWords(binding)}</dd>
        </div>
      ))}
    </dl>
  );
}
