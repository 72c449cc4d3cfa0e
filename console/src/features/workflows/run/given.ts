/** What a step of a run was given: its bindings, with the values of the run. */

import type { RunDetail } from "../api";
import { isFields, type SpecStep } from "../spec/shapes";
import { outcomeOf, truncatedOf } from "./values";

/** Null if the value isn't known here: too long to be sent, or not there yet. */
export type Known = { value: unknown } | null;

export type Scope = Pick<RunDetail, "id" | "owner" | "input" | "locale" | "steps">;

/** The item of a map, if it's one. */
export interface Place {
  item: Known;
  index: number;
}

export function bound(binding: unknown, run: Scope, place?: Place): Known {
  if (Array.isArray(binding)) return all(binding.map((one) => bound(one, run, place)));
  if (!isFields(binding)) return { value: binding };
  if ("$lit" in binding) return { value: binding.$lit };
  if (typeof binding.$ref === "string") return resolved(binding.$ref, run, place);
  const values = all(Object.values(binding).map((one) => bound(one, run, place)));
  return values && { value: Object.fromEntries(Object.keys(binding).map((name, index) => [name, values.value[index]])) };
}

function all(found: readonly Known[]): { value: unknown[] } | null {
  const values = found.flatMap((one) => (one ? [one.value] : []));
  return values.length === found.length ? { value: values } : null;
}

export function itemAt(step: SpecStep, run: Scope, index: number): Known {
  if (step.kind !== "map") return null;
  if (Array.isArray(step.over)) return index < step.over.length ? bound(step.over[index], run) : null;
  const list = bound(step.over, run)?.value;
  return Array.isArray(list) && index < list.length ? { value: list[index] } : null;
}

function resolved(reference: string, run: Scope, place?: Place): Known {
  const [root, name = "", , outcome, ...path] = reference.split(".");
  switch (root) {
    case "input":
      return truncatedOf(run.input) === null && isFields(run.input) ? follow(run.input, reference.split(".").slice(1)) : null;
    case "item":
      return place?.item ? follow(place.item.value, reference.split(".").slice(1)) : null;
    case "index":
      return place ? { value: place.index } : null;
    case "steps":
      return outcome === "results" ? resultsOf(run, name, path) : resultOf(run, name, path);
    case "run":
      return { value: run.id };
    case "user":
      return { value: run.owner };
    case "locale":
      return { value: run.locale };
    default:
      return null;
  }
}

function resultOf({ steps }: Scope, id: string, path: readonly string[]): Known {
  const step = steps.find((one) => one.id === id);
  if (step?.state === "skipped") return { value: null };
  if (step?.state !== "succeeded" || truncatedOf(outcomeOf(step)) !== null) return null;
  return follow(outcomeOf(step), path);
}

function resultsOf({ steps }: Scope, id: string, path: readonly string[]): Known {
  const step = steps.find((one) => one.id === id);
  if (step?.state === "skipped") return { value: null };
  if (step?.state !== "succeeded" || step.items.length < step.total || step.items.some(({ result }) => truncatedOf(result) !== null)) return null;
  return follow(step.items.map(({ index, result }) => ({ index, result })), path);
}

/** A path that leads nowhere is null, as in a run. */
function follow(value: unknown, path: readonly string[]): { value: unknown } {
  const end = path.reduce<unknown>((at, name) => {
    if (Array.isArray(at)) return /^\d+$/.test(name) ? at[Number(name)] : undefined;
    return isFields(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }, value);
  return { value: end ?? null };
}
