/** An entity with its neighbours around it; each leads to its own page. */

import { useElementSize } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { useId, useState, type KeyboardEvent } from "react";

import { t } from "@/i18n";

import { besides } from "../address";
import type { Entity } from "../api";
import { PICTURES } from "../types";
import { directionOf, drawingOf, neighboursOf, type Drawing, type Neighbour, type Node } from "./drawing";
import styles from "./Ego.module.css";
import { allRelationWords } from "./words";

export function Ego({ entity }: { entity: Entity }) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const drawing = drawingOf(neighboursOf(entity.relations), width);
  return (
    <figure className={styles.ego} aria-label={t("graph.relations.of", { name: entity.name })}>
      <div ref={ref} className={styles.field} style={{ height: drawing.height }}>
        {width > 0 && <Drawn entity={entity} drawing={drawing} />}
      </div>
      <p className={styles.hint}>{t("graph.relations.hint")}</p>
      {drawing.more.length > 0 && <More neighbours={drawing.more} />}
    </figure>
  );
}

function Drawn({ entity, drawing: { width, height, centre, nodes } }: { entity: Entity; drawing: Drawing }) {
  const [hot, setHot] = useState<string | null>(null);
  const arrows = useId();
  const Picture = PICTURES[entity.type];
  return (
    <>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden>
        <Arrow id={`${arrows}out`} d="M0 0 8 4 0 8z" />
        <Arrow id={`${arrows}in`} d="M8 0 0 4 8 8z" />
        {nodes.map(({ neighbour, line }) => {
          const direction = directionOf(neighbour);
          const end = direction === "both" ? undefined : `url(#${arrows}${direction})`;
          return <path key={neighbour.entity.id} className={styles.line} data-hot={hot === neighbour.entity.id} d={line} markerEnd={end} />;
        })}
      </svg>
      <div className={styles.centre} style={{ left: centre.x, top: centre.y, maxWidth: centre.width }}>
        <Picture aria-hidden size={17} stroke={1.6} />
        <span>{entity.name}</span>
      </div>
      {/* The keys walk from link to link, which each of them could do alone with more to press. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ul className={styles.nodes} onKeyDown={walk}>
        {nodes.map((node) => (
          <Around key={node.neighbour.entity.id} node={node} onHot={setHot} />
        ))}
      </ul>
    </>
  );
}

function Arrow({ id, d }: { id: string; d: string }) {
  return (
    <marker id={id} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto" markerUnits="userSpaceOnUse">
      <path className={styles.arrow} d={d} />
    </marker>
  );
}

function Around({ node: { neighbour, side, x, y, width }, onHot }: { node: Node; onHot: (id: string | null) => void }) {
  const { entity } = neighbour;
  const Picture = PICTURES[entity.type];
  const relations = allRelationWords(neighbour);
  return (
    <li className={styles.node} data-side={side} style={side === "right" ? { left: x, top: y, maxWidth: width } : { right: `calc(100% - ${x}px)`, top: y, maxWidth: width }}>
      <Link
        to="/graph/$id"
        params={{ id: entity.id }}
        search={besides}
        title={`${entity.name}: ${relations}`}
        onMouseEnter={() => onHot(entity.id)}
        onMouseLeave={() => onHot(null)}
        onFocus={() => onHot(entity.id)}
        onBlur={() => onHot(null)}
      >
        <Picture aria-hidden size={15} stroke={1.6} />
        <span className={styles.words}>
          <b>{entity.name}</b>
          <span>{relations}</span>
        </span>
      </Link>
    </li>
  );
}

function More({ neighbours }: { neighbours: readonly Neighbour[] }) {
  return (
    <details className={styles.more}>
      <summary>{t("graph.relations.more", { count: neighbours.length })}</summary>
      <ul>
        {neighbours.map((neighbour) => (
          <li key={neighbour.entity.id}>
            <Link to="/graph/$id" params={{ id: neighbour.entity.id }} search={besides}>
              {neighbour.entity.name}
            </Link>{" "}
            <span className="muted">{allRelationWords(neighbour)}</span>
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
