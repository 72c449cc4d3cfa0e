/** Colours of code in the editor. The grammars are loaded when the first code is seen. */

import type { Toned } from "../highlight";

type TonesOf = typeof import("../highlight").tonesOf;

const MOST = 40;
const kept = new Map<string, readonly Toned[]>();
let tonesOf: TonesOf | undefined;
let asked: Promise<void> | undefined;

/** The coloured parts of a code; undefined until the grammars are there. */
export function coloursOf(code: string, language: string): readonly Toned[] | undefined {
  if (!tonesOf) return undefined;
  const key = `${language}\n${code}`;
  const known = kept.get(key);
  if (known) return known;
  const found = tonesOf(code, language);
  kept.set(key, found);
  const oldest = kept.size > MOST ? kept.keys().next().value : undefined;
  if (oldest !== undefined) kept.delete(oldest);
  return found;
}

/** Resolves once the grammars are there; code stays plain if they don't come. */
export function loadColours(): Promise<void> {
  asked ??= import("../highlight").then(
    (module) => void (tonesOf = module.tonesOf),
    () => void (asked = undefined),
  );
  return asked;
}
