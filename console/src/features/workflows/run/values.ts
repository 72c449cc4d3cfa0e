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

/** The documents that a run made, each once, in the order of its steps. */
export function artifactsOf(steps: readonly RunStep[]): Artifact[] {
  const all = steps.flatMap((step) => [outcomeOf(step), ...step.items.map((item) => item.result)]).flatMap((value) => artifactOf(value) ?? []);
  const made = all.filter((artifact) => artifact.object_id);
  return [...new Map(made.map((artifact) => [artifact.object_id, artifact])).values()];
}
