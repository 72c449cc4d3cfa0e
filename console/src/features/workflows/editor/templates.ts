/** What a new workflow begins with. */

import { t } from "@/i18n";

import { isFields } from "../spec/shapes";

/** Small, valid, and with a built-in tool. */
export function blank(): Record<string, unknown> {
  return {
    format: 1,
    slug: "my-workflow",
    title: t("workflows.blank.title"),
    description: "",
    inputs: { words: { type: "string", description: t("workflows.blank.input") } },
    start: "find",
    max_steps: 10,
    steps: [{ id: "find", kind: "tool", tool: "search", with: { q: { $ref: "input.words" } }, end: true }],
  };
}

const LONGEST_SLUG = 63;

/** The same under another slug, so that publishing it doesn't replace the original. */
export function copyOf(spec: Record<string, unknown>): Record<string, unknown> {
  const slug = typeof spec.slug === "string" ? spec.slug : "workflow";
  const title = typeof spec.title === "string" && spec.title ? t("workflows.copy.of", { title: spec.title }) : undefined;
  const copy = { ...spec, format: spec.format ?? 1, slug: `${slug.slice(0, LONGEST_SLUG - 5)}-copy`, title };
  return Object.fromEntries(Object.entries(copy).filter(([name, value]) => name !== "version" && value !== undefined));
}

/** Fields in the order in which people read them; the server keeps no order. */
const FIELDS = ["format", "slug", "version", "title", "description", "inputs", "start", "max_steps", "steps"];
const STEP_FIELDS = ["id", "kind", "over", "tool", "with", "when", "then", "else", "retry", "end"];

function ordered(value: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const rank = (name: string): number => (names.includes(name) ? names.indexOf(name) : names.length);
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => rank(one) - rank(other)));
}

export function written(spec: Record<string, unknown>): string {
  const steps = Array.isArray(spec.steps) ? { steps: spec.steps.map((step: unknown) => (isFields(step) ? ordered(step, STEP_FIELDS) : step)) } : {};
  return `${JSON.stringify(ordered({ ...spec, ...steps }, FIELDS), null, 2)}\n`;
}
