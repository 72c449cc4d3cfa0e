/** A spec as far as it can be drawn: read from JSON that may not be valid yet. */

export const INPUT_TYPES = ["string", "number", "integer", "boolean", "array", "object"] as const;
export type InputType = (typeof INPUT_TYPES)[number];

export interface Input {
  type: InputType;
  description?: string;
}

interface Common {
  id: string;
  retry: number;
  end: boolean;
}

export interface ToolStep extends Common {
  kind: "tool";
  tool: string;
  given: Given[];
}

export interface MapStep extends Common {
  kind: "map";
  tool: string;
  over: unknown;
  given: Given[];
}

export interface ChoiceStep extends Common {
  kind: "choice";
  when: unknown;
  then: string;
  otherwise: string;
}

export type SpecStep = ToolStep | MapStep | ChoiceStep;
export type Given = readonly [name: string, binding: unknown];

export interface Spec {
  slug: string;
  title: string;
  description: string;
  start: string;
  maxSteps: number | null;
  inputs: [name: string, input: Input][];
  steps: SpecStep[];
}

type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** What is missing or of another type is left out; null if there is nothing to draw. */
export function specOf(value: unknown): Spec | null {
  if (!isFields(value)) return null;
  const steps = Array.isArray(value.steps) ? value.steps.flatMap(stepOf) : [];
  return {
    slug: text(value.slug),
    title: text(value.title),
    description: text(value.description),
    start: text(value.start) || (steps[0]?.id ?? ""),
    maxSteps: typeof value.max_steps === "number" ? value.max_steps : null,
    inputs: isFields(value.inputs) ? Object.entries(value.inputs).flatMap(inputOf) : [],
    steps,
  };
}

function inputOf([name, value]: [string, unknown]): [string, Input][] {
  if (!isFields(value)) return [];
  const type = INPUT_TYPES.find((one) => one === value.type);
  return type ? [[name, { type, description: text(value.description) || undefined }]] : [];
}

function stepOf(value: unknown): SpecStep[] {
  if (!isFields(value) || !text(value.id)) return [];
  const common = { id: text(value.id), retry: typeof value.retry === "number" ? value.retry : 0, end: value.end === true };
  const given = isFields(value.with) ? Object.entries(value.with) : [];
  switch (value.kind) {
    case "tool":
      return [{ ...common, kind: "tool", tool: text(value.tool), given }];
    case "map":
      return [{ ...common, kind: "map", tool: text(value.tool), over: value.over, given }];
    case "choice":
      return [{ ...common, kind: "choice", when: value.when, then: text(value.then), otherwise: text(value.else) }];
    default:
      return [];
  }
}
