/** What a new workflow begins with. */

import { t } from "@/i18n";

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

export const written = (spec: unknown): string => `${JSON.stringify(spec, null, 2)}\n`;
