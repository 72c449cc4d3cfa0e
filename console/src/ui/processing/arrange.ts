/** Where files and the lines between them are drawn: sources before what was made from them. */

import { agesOf, isBehind, type Age, type Derivation, type Provenance, type ProvenanceFile } from "./provenance";

export interface Card {
  file: ProvenanceFile;
  /** Its newest derivation, of those that are drawn. */
  made?: Derivation;
  age: Age;
  x: number;
  y: number;
  width: number;
}

export interface Arrangement {
  isNarrow: boolean;
  height: number;
  cards: Card[];
  lines: { key: string; stale: boolean; d: string }[];
}

export const CARD = 84;
const [GAP, BETWEEN, WIDEST, NARROWEST, INDENT] = [32, 18, 240, 164, 22];
const ROW = CARD + BETWEEN;

export function arrange(provenance: Provenance, width: number): Arrangement {
  const depths = depthsOf(provenance);
  const columns = Math.max(0, ...depths.values()) + 1;
  const room = (width - (columns - 1) * GAP) / columns;
  return room < NARROWEST ? asTree(provenance, depths, width) : inColumns(provenance, depths, columns, Math.min(room, WIDEST));
}

/** The longest way to each file from one without sources. A circle, which can't be, ends somewhere. */
export function depthsOf({ files, derivations }: Pick<Provenance, "files" | "derivations">): Map<string, number> {
  const depths = new Map(files.map(({ id }) => [id, 0]));
  for (let round = 1; round < files.length; round += 1) {
    let changed = false;
    for (const { from, to } of derivations) {
      const depth = (depths.get(from.id) ?? 0) + 1;
      if (depth <= (depths.get(to.id) ?? 0) || depth >= files.length) continue;
      depths.set(to.id, depth);
      changed = true;
    }
    if (!changed) break;
  }
  return depths;
}

const madeOf = ({ derivations }: Provenance, id: string): Derivation | undefined =>
  derivations.filter(({ to }) => to.id === id).sort((one, other) => other.relative.version - one.relative.version)[0];

function inColumns(provenance: Provenance, depths: ReadonlyMap<string, number>, columns: number, width: number): Arrangement {
  const levels = levelsOf(provenance, depths, columns);
  const ages = agesOf(provenance);
  const rows = Math.max(1, ...levels.map(({ length }) => length));
  const cards = levels.flatMap((level, depth) =>
    level.map((file, place): Card => ({
      file, made: madeOf(provenance, file.id), age: ages.get(file.id) ?? "current", width, x: depth * (width + GAP),
      y: (place + Math.floor((rows - level.length) / 2)) * ROW,
    })),
  ); // prettier-ignore
  const lines = linesOf(provenance, cards, acrossColumns);
  const passesBelow = rows === 1 && provenance.derivations.some(({ from, to }) => (depths.get(to.id) ?? 0) - (depths.get(from.id) ?? 0) > 1);
  return { isNarrow: false, height: rows * ROW - (passesBelow ? 0 : BETWEEN), cards, lines };
}

/** Files by depth, each beside what it's made from. */
function levelsOf({ files, derivations }: Provenance, depths: ReadonlyMap<string, number>, columns: number): ProvenanceFile[][] {
  const places = new Map<string, number>();
  const middleOf = ({ id }: ProvenanceFile): number => {
    const sources = derivations.flatMap(({ from, to }) => (to.id === id ? [places.get(from.id) ?? 0] : []));
    return sources.length === 0 ? 0 : sources.reduce((sum, place) => sum + place, 0) / sources.length;
  };
  return Array.from({ length: columns }, (_, depth) => {
    const level = files.filter(({ id }) => depths.get(id) === depth).sort((one, other) => middleOf(one) - middleOf(other));
    level.forEach(({ id }, place) => places.set(id, place));
    return level;
  });
}

/** A line that passes a column goes between its cards. */
function acrossColumns(from: Card, to: Card): string {
  const [x1, y1, x2, y2] = [from.x + from.width, from.y + CARD / 2, to.x, to.y + CARD / 2];
  if (x2 - x1 <= GAP) return `M${x1} ${y1}C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2 - 2} ${y2}`;
  const between = Math.max(1, Math.round((y1 + y2) / 2 / ROW)) * ROW - BETWEEN / 2;
  const [leave, arrive] = [x1 + GAP / 2, x2 - GAP / 2];
  return `M${x1} ${y1}C${leave} ${y1} ${leave} ${between} ${x1 + GAP} ${between}H${x2 - GAP}C${arrive} ${between} ${arrive} ${y2} ${x2 - 2} ${y2}`;
}

/** One below the other, indented by how far they are from the source. */
function asTree(provenance: Provenance, depths: ReadonlyMap<string, number>, width: number): Arrangement {
  const ordered = treeOrder(provenance, depths);
  const ages = agesOf(provenance);
  const cards = ordered.map((file, place): Card => {
    const x = Math.min(depths.get(file.id) ?? 0, 4) * INDENT;
    return { file, made: madeOf(provenance, file.id), age: ages.get(file.id) ?? "current", x, y: place * ROW, width: width - x };
  });
  const lines = linesOf(provenance, cards, (from, to) => {
    const x = from.x + INDENT / 2;
    const y = to.y + CARD / 2;
    return `M${x} ${from.y + CARD}V${y - 8}Q${x} ${y} ${x + 8} ${y}H${to.x - 2}`;
  });
  return { isNarrow: true, height: cards.length * ROW - BETWEEN, cards, lines };
}

/** What was made from a file follows it, once all of its sources are there. */
function treeOrder({ files, derivations }: Provenance, depths: ReadonlyMap<string, number>): ProvenanceFile[] {
  const ordered = new Map<string, ProvenanceFile>();
  const isReady = ({ id }: ProvenanceFile): boolean => derivations.every(({ from, to }) => to.id !== id || ordered.has(from.id));
  const visit = (file: ProvenanceFile): void => {
    if (ordered.has(file.id)) return;
    ordered.set(file.id, file);
    for (const { from, to } of derivations) if (from.id === file.id && isReady(to)) visit(to);
  };
  [...files].sort((one, other) => (depths.get(one.id) ?? 0) - (depths.get(other.id) ?? 0)).forEach(visit);
  return [...ordered.values()];
}

function linesOf({ derivations }: Provenance, cards: readonly Card[], draw: (from: Card, to: Card) => string): Arrangement["lines"] {
  const places = new Map(cards.map((card) => [card.file.id, card]));
  return derivations.flatMap((one) => {
    const { from, to } = one;
    const [start, end] = [places.get(from.id), places.get(to.id)];
    return start && end ? [{ key: `${from.id} ${to.id}`, stale: isBehind(one), d: draw(start, end) }] : [];
  });
}
