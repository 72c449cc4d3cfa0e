/** A snippet with the matches highlighted. */

import { partsOf } from "./marks";
import styles from "./Search.module.css";

export function Marked({ snippet }: { snippet: string }) {
  return partsOf(snippet).map(({ text, marked }, place) =>
    marked ? (
      <mark key={place} className={styles.mark}>
        {text}
      </mark>
    ) : (
      <span key={place}>{text}</span>
    ),
  );
}
