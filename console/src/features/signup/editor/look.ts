/** The theme of a page: without tokens that of the brand; tokens that aren't set are the base's. */

import { BASE, type Theme } from "@/ui/tokens/tokens";

type Tokens = Readonly<Record<string, unknown>>;

const own = (tokens: Tokens): Partial<Theme> => Object.fromEntries(Object.entries(tokens).filter(([token, value]) => token in BASE && typeof value === typeof BASE[token as keyof Theme]));

const isBrand = (tokens: Tokens): boolean => Object.keys(own(tokens)).length === 0;

export const completeTheme = (tokens: Tokens, brand: Theme = BASE): Theme => (isBrand(tokens) ? brand : { ...BASE, ...own(tokens) });

/** The first token that is set keeps the rest of the brand. */
export const withToken = (tokens: Tokens, token: string, value: unknown, brand: Theme): Tokens => ({ ...(isBrand(tokens) ? brand : {}), ...tokens, [token]: value });

export const assetUrl = (id: unknown): string | undefined => (typeof id === "string" && id ? `/api/beta/asset/${id}` : undefined);
