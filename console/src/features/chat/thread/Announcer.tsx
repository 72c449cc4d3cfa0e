/** Reads an answer out as it is given: whole sentences, not words. */

import { useEffect, useRef, useState } from "react";

import { t } from "@/i18n";
import { plain } from "@/ui/plain";

import type { Snapshot } from "../stream/answering";
import { wholeSentences } from "../stream/sentences";

/** What comes within it is read out together. */
const PAUSE_MS = 1_000;

export function Announcer({ now }: { now: Snapshot | undefined }) {
  const [words, setWords] = useState("");
  const said = useRef({ id: "", length: 0 });
  const id = now?.answer.id ?? "";
  const text = now?.answer.text ?? "";
  const isOver = now?.connection === "over";
  useEffect(() => {
    if (id === "") return;
    if (said.current.id !== id) said.current = { id, length: 0 };
    const whole = isOver ? text.length : wholeSentences(text);
    if (whole <= said.current.length && !isOver) return;
    const say = (): void => {
      const fresh = plain(text.slice(said.current.length, whole));
      said.current = { id, length: Math.max(whole, said.current.length) };
      setWords(isOver ? `${fresh} ${t("chat.answer.over")}` : fresh);
    };
    const timer = setTimeout(say, isOver ? 0 : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [id, text, isOver]);
  return (
    <p className="sr-only" aria-live="polite" aria-atomic="true">
      {words}
    </p>
  );
}
