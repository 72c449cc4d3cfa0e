/** Values in a run: artifacts among them, and those that are too long to be sent. */

import type { Artifact } from "@/ui/turns/shapes";

import type { RunStep } from "../api";
import { isFields } from "../spec/shapes";

const KINDS = ["document", "table", "text", "link", "image"];

export function artifactOf(value: unknown): Artifact | null {
  if (!isFields(value) || typeof value.title !== "string" || !KINDS.includes(String(value.kind))) return null;
  return value as unknown as Artifact;
}

/** The number of bytes of a value that was left out. */
export function truncatedOf(value: unknown): number | null {
  return isFields(value) && Object.keys(value).length === 1 && typeof value.truncated === "number" ? value.truncated : null;
}

/** What a step gave: of a tool its result, of a choice the way it went, of a map the results of its items. */
export function outcomeOf({ output }: Pick<RunStep, "output">): unknown {
  return isFields(output) && "result" in output ? output.result : output;
}

/** A value on one line; what is longer is cut. */
export function shortOf(value: unknown, longest: number): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** Of the document or note that it stands for. */
export const idOf = ({ object_id: object, note_id: note }: Artifact): string => object ?? note ?? "";

/** The documents and notes that a run made, each once, in the order of its steps. What it was given, it only read. */
export function artifactsOf({ steps, input }: { steps: readonly RunStep[]; input: unknown }): Artifact[] {
  const given = isFields(input) ? Object.values(input).flat() : [];
  const all = steps.flatMap((step) => [outcomeOf(step), ...step.items.map((item) => item.result)]).flatMap((value) => artifactOf(value) ?? []);
  return [...new Map(all.flatMap((artifact) => (idOf(artifact) && !given.includes(idOf(artifact)) ? [[idOf(artifact), artifact] as const] : []))).values()];
}
