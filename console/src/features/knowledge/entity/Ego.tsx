/** An entity with its neighbours around it; each leads to its own page. */

import { useElementSize } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { useId, useState, type KeyboardEvent } from "react";

import { t } from "@/i18n";

import { besides } from "../address";
import type { Entity } from "../api";
import { PICTURES } from "../types";
import { directionOf, drawingOf, neighboursOf, type Direction, type Drawing, type Neighbour, type Node } from "./drawing";
import styles from "./Ego.module.css";
import { labelOf, statementsOf } from "./words";

export function Ego({ entity }: { entity: Entity }) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const drawing = drawingOf(neighboursOf(entity.relations), width);
  return (
    <figure className={styles.ego} aria-label={t("graph.relations.of", { name: entity.name })}>
      <div ref={ref} className={styles.field} style={{ height: drawing.height }}>
        {width > 0 && <Drawn entity={entity} drawing={drawing} />}
      </div>
      <p className={styles.hint}>{t("graph.relations.hint")}</p>
      {drawing.more.length > 0 && <More neighbours={drawing.more} name={entity.name} />}
    </figure>
  );
}

function Drawn({ entity, drawing: { isNarrow, width, height, centre, nodes } }: { entity: Entity; drawing: Drawing }) {
  const [hot, setHot] = useState<string | null>(null);
  const arrows = useId();
  const Picture = PICTURES[entity.type];
  return (
    <>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden>
        {DIRECTIONS.map((direction) => (
          <Arrow key={direction} id={`${arrows}${direction}`} direction={direction} />
        ))}
        {nodes.map(({ neighbour, line }) => {
          const { id } = neighbour.entity;
          return <path key={id} className={styles.line} data-hot={hot === id} d={line} markerEnd={`url(#${arrows}${directionOf(neighbour)})`} />;
        })}
      </svg>
      <div className={styles.centre} data-narrow={isNarrow || undefined} style={{ left: centre.x, top: centre.y, maxWidth: centre.width }}>
        <Picture aria-hidden size={17} stroke={1.6} />
        <span>{entity.name}</span>
      </div>
      {/* The keys walk from link to link, which each of them could do alone with more to press. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ul className={styles.nodes} onKeyDown={walk}>
        {nodes.map((node) => (
          <Around key={node.neighbour.entity.id} node={node} name={entity.name} onHot={setHot} />
        ))}
      </ul>
    </>
  );
}

const DIRECTIONS = ["out", "in", "both"] as const satisfies readonly Direction[];
const HEADS: Record<Direction, string> = { out: "M8 0 16 4 8 8z", in: "M16 0 8 4 16 8z", both: "M8 0 16 4 8 8zM7 0 -1 4 7 8z" };

function Arrow({ id, direction }: { id: string; direction: Direction }) {
  return (
    <marker id={id} viewBox="-1 0 17 8" refX="15" refY="4" markerWidth="15" markerHeight="7" orient="auto" markerUnits="userSpaceOnUse">
      <path className={styles.arrow} d={HEADS[direction]} />
    </marker>
  );
}

function Around({ node: { neighbour, side, x, y, width }, name, onHot }: { node: Node; name: string; onHot: (id: string | null) => void }) {
  const { entity } = neighbour;
  const Picture = PICTURES[entity.type];
  const words = labelOf(neighbour, side);
  // What is shown comes first: whoever speaks to the browser says what they see.
  const label = [`${entity.name} ${words}`, ...statementsOf(neighbour, name)].join(". ");
  return (
    <li className={styles.node} data-side={side} style={side === "right" ? { left: x, top: y, maxWidth: width } : { right: `calc(100% - ${x}px)`, top: y, maxWidth: width }}>
      <Link
        to="/graph/$id"
        params={{ id: entity.id }}
        search={besides}
        aria-label={label}
        title={label}
        onMouseEnter={() => onHot(entity.id)}
        onMouseLeave={() => onHot(null)}
        onFocus={() => onHot(entity.id)}
        onBlur={() => onHot(null)}
      >
        <Picture aria-hidden size={15} stroke={1.6} />
        <span className={styles.words}>
          <b>{entity.name}</b> <span>{words}</span>
        </span>
      </Link>
    </li>
  );
}

function More({ neighbours, name }: { neighbours: readonly Neighbour[]; name: string }) {
  return (
    <details className={styles.more}>
      <summary>{t("graph.relations.more", { count: neighbours.length })}</summary>
      <ul>
        {neighbours.map((neighbour) => (
          <li key={neighbour.entity.id}>
            <Link to="/graph/$id" params={{ id: neighbour.entity.id }} search={besides}>
              {neighbour.entity.name}
            </Link>{" "}
            <span className="muted">{statementsOf(neighbour, name).join(". ")}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Arrow keys move between the neighbours. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("a")];
  const next = links[links.indexOf(event.target as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
