/** Announces a streamed answer to screen readers, in whole sentences. */

import { useEffect, useRef, useState } from "react";

import { t } from "@/i18n";
import { plain } from "@/ui/plain";

import type { Snapshot } from "../stream/answering";
import { wholeSentences } from "../stream/sentences";

/** Sentences that arrive within it are announced together. */
const PAUSE_MS = 1_000;

export function Announcer({ now }: { now: Snapshot | undefined }) {
  const [words, setWords] = useState("");
  const said = useRef({ id: "", length: 0 });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const id = now?.answer.id ?? "";
  const text = now?.answer.text ?? "";
  const isOver = now?.connection === "over";
  const latest = useRef(text);
  latest.current = text;

  useEffect(() => {
    if (id === "") return;
    if (said.current.id !== id) said.current = { id, length: 0 };
    const say = (whole: number, end = ""): void => {
      clearTimeout(timer.current);
      timer.current = undefined;
      setWords(`${plain(latest.current.slice(said.current.length, whole))} ${end}`.trim());
      said.current.length = whole;
    };
    if (isOver) say(text.length, t("chat.answer.over"));
    else if (wholeSentences(text) > said.current.length) timer.current ??= setTimeout(() => say(wholeSentences(latest.current)), PAUSE_MS);
  }, [id, text, isOver]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <p className="sr-only" aria-live="polite" aria-atomic="true">
      {words}
    </p>
  );
}
