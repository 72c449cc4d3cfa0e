/** Bindings, conditions and types of a spec in words. */

import { currentLocale, t } from "@/i18n";

import { isFields, type Input } from "./shapes";

/** A longer literal is cut. */
const LONGEST = 60;
const PLAIN = ["index", "locale", "run.id", "team.id", "user.id", "principal.locale"] as const;
const UNARY = ["empty", "exists"] as const;
const BINARY = ["equals", "in", "contains", "greater_than", "matches"] as const;

/** Where a value comes from: `input template`, `result of text › fields`, or a literal as JSON. */
export function bindingWords(binding: unknown): string {
  if (isFields(binding)) {
    if (typeof binding.$ref === "string") return referenceWords(binding.$ref);
    if ("$lit" in binding) return literal(binding.$lit);
  }
  return literal(binding);
}

function referenceWords(reference: string): string {
  const plain = PLAIN.find((name) => name === reference);
  if (plain) return t(`workflows.ref.${plain}`);
  const [root, ...path] = reference.split(".");
  if (root === "input" && path[0]) return within(t("workflows.ref.input", { name: path[0] }), path.slice(1));
  if (root === "item") return within(t("workflows.ref.item"), path);
  const [step, , outcome, ...rest] = path;
  if (root === "steps" && step && outcome) return within(t(outcome === "results" ? "workflows.ref.results" : "workflows.ref.result", { step }), rest);
  return reference;
}

const within = (words: string, path: readonly string[]): string => [words, ...path].join(" › ");

function literal(value: unknown): string {
  const written = JSON.stringify(value) ?? "";
  return written.length > LONGEST ? `${written.slice(0, LONGEST)}…` : written;
}

/** `input template is empty`. */
export function conditionWords(predicate: unknown): string {
  const [name, operands] = isFields(predicate) ? (Object.entries(predicate)[0] ?? []) : [];
  const unary = UNARY.find((one) => one === name);
  if (unary) return t(`workflows.when.${unary}`, { a: bindingWords(operands) });
  const binary = BINARY.find((one) => one === name);
  if (!binary || !Array.isArray(operands)) return literal(predicate ?? null);
  return t(`workflows.when.${binary}`, { a: bindingWords(operands[0]), b: bindingWords(operands[1]) });
}

export const typeWords = (type: Input["type"]): string => t(`workflows.type.${type}`);

/** A map goes over this. */
export function overWords(over: unknown): string {
  if (!Array.isArray(over)) return bindingWords(over);
  return new Intl.ListFormat(currentLocale(), { type: "conjunction" }).format(over.map((one) => (typeof one === "string" ? one : bindingWords(one))));
}
