/** What is on its way, as grey shapes in its place. Screen readers are told that the place is busy, and nothing else. */

import styles from "./Skeleton.module.css";

/** Lines of a row or text, as shares of the width. */
const SHAPES = {
  /** Rows of two lines, as beside an open item. */
  list: { rows: 6, lines: [62, 94] },
  /** Rows of one line with columns, below their titles. */
  table: { rows: 8, lines: [38, 12, 14, 10] },
  /** Tiles, as many beside each other as there is room for. */
  cards: { rows: 6, lines: [64, 40] },
  /** Boxes as wide as the page, with a number and a bar. */
  blocks: { rows: 4, lines: [24, 12, 100] },
  /** A title, facts, and paragraphs. */
  text: { rows: 1, lines: [62, 40, 96, 88, 92, 60, 94, 90, 45] },
  /** One large box: a picture, or a page. */
  page: { rows: 1, lines: [] },
} as const;

export type Shape = keyof typeof SHAPES;

export function Skeleton({ shape, rows = SHAPES[shape].rows }: { shape: Shape; rows?: number }) {
  return (
    <div className={styles.skeleton} data-shape={shape} aria-busy>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={styles.row} aria-hidden>
          {SHAPES[shape].lines.map((width, line) => (
            <i key={line} className={styles.line} style={{ width: `${width}%` }} />
          ))}
        </div>
      ))}
    </div>
  );
}
