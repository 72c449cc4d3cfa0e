/** Keys of the queries for languages, and which of them a changed job makes stale: drafts are jobs. */

import { freshness } from "@/navigation/freshness";

export const L10N = ["localization"] as const;
export const COVERAGE = [...L10N, "coverage"] as const;
export const MESSAGES = [...L10N, "messages"] as const;
export const AROUND = [...L10N, "around"] as const;

export const localizationFreshness = [freshness("job", () => [{ queryKey: COVERAGE }])] as const;
