/**
 * The page's policy refuses text as markup. One use remains: Mantine puts CSS into its own style elements as their inner
 * HTML. Text without a `<` can begin no element, so that much passes here, and nothing else.
 */

interface Policies {
  createPolicy(name: "default", rules: { createHTML: (text: string) => string | null }): unknown;
}

export const plainOnly = (text: string): string | null => (text.includes("<") ? null : text);

const policies = (globalThis as { trustedTypes?: Policies }).trustedTypes;
policies?.createPolicy("default", { createHTML: plainOnly });
