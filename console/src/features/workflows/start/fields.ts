/** Fields for the inputs of a workflow: what is typed, and the values that it stands for. */

import { t } from "@/i18n";

import { isFields, type Input } from "../spec/shapes";

export type Typed = Record<string, string | boolean>;
export type Inputs = Record<string, Input>;

/** Inputs that name a file of the repository. */
export const isObjectInput = (name: string, { type }: Input): boolean => type === "string" && /(^|_)object(_id)?$/.test(name);

const EMPTY: Record<Input["type"], string | boolean> = { string: "", number: "", integer: "", boolean: false, array: "[]", object: "{}" };

/** What is known already, such as the input of an earlier run, in the form in which it is typed. */
export function typedOf(inputs: Inputs, known: Record<string, unknown> = {}): Typed {
  return Object.fromEntries(Object.entries(inputs).map(([name, { type }]) => [name, name in known ? shown(known[name], type) : EMPTY[type]]));
}

function shown(value: unknown, type: Input["type"]): string | boolean {
  if (type === "boolean") return value === true;
  if (type === "array" || type === "object") return JSON.stringify(value ?? (type === "array" ? [] : {}), null, 2);
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export interface Parsed {
  values: Record<string, unknown>;
  /** What is wrong with a field, by its name. */
  errors: Record<string, string>;
}

export function parse(inputs: Inputs, typed: Typed): Parsed {
  const parsed: Parsed = { values: {}, errors: {} };
  for (const [name, input] of Object.entries(inputs)) {
    const found = valueOf(name, input, typed[name] ?? EMPTY[input.type]);
    if ("error" in found) parsed.errors[name] = found.error;
    else parsed.values[name] = found.value;
  }
  return parsed;
}

type Found = { value: unknown } | { error: string };

function valueOf(name: string, input: Input, typed: string | boolean): Found {
  const text = String(typed);
  switch (input.type) {
    case "boolean":
      return { value: typed === true };
    case "number":
    case "integer":
      return numberOf(text, input.type);
    case "array":
    case "object":
      return jsonOf(text, input.type);
    default:
      return isObjectInput(name, input) && !text ? { error: t("workflows.field.file.missing") } : { value: text };
  }
}

function numberOf(text: string, type: "number" | "integer"): Found {
  const value = text.trim() === "" ? NaN : Number(text);
  const isRight = type === "integer" ? Number.isSafeInteger(value) : Number.isFinite(value);
  return isRight ? { value } : { error: t(`workflows.field.${type}.wrong`) };
}

function jsonOf(text: string, type: "array" | "object"): Found {
  try {
    const value: unknown = JSON.parse(text);
    const isRight = type === "array" ? Array.isArray(value) : isFields(value);
    return isRight ? { value } : { error: t(`workflows.field.${type}.wrong`) };
  } catch {
    return { error: t("workflows.field.json.wrong") };
  }
}

/** Once the errors are shown. */
export function focusFirstError(form: EventTarget): void {
  requestAnimationFrame(() => (form as HTMLElement).querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
}
