/** Keys of the queries for prospects and the sign-up page, and which of them a changed prospect makes stale. */

import { freshness } from "@/navigation/freshness";

const SIGN_UP = ["sign-up"] as const;
export const PROSPECTS = [...SIGN_UP, "prospects"] as const;
export const NUMBERS = [...SIGN_UP, "numbers"] as const;
export const EXPERIENCE = [...SIGN_UP, "experience"] as const;
export const ASSETS = [...SIGN_UP, "assets"] as const;

export const signUpFreshness = [freshness("prospect", () => [{ queryKey: PROSPECTS }, { queryKey: NUMBERS }])] as const;
