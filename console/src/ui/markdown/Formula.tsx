/** A formula; its source while it loads, and if it isn't one. */

import { useEffect, useRef, useState } from "react";

import styles from "./Markdown.module.css";

export function Formula({ source, display }: { source: string; display: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  const [isSet, setIsSet] = useState(false);
  useEffect(() => {
    let current = true;
    void import("./typeset").then(
      ({ default: typeset }) => {
        if (!current || !place.current) return;
        try {
          place.current.replaceChildren(typeset(source, display));
          setIsSet(true);
        } catch {
          setIsSet(false);
        }
      },
      () => undefined,
    );
    return () => void (current = false);
  }, [source, display]);
  return (
    <span className={display ? styles.display : undefined}>
      <span ref={place} hidden={!isSet} />
      {!isSet && <code>{source}</code>}
    </span>
  );
}
