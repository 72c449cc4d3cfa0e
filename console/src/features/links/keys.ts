/** Key of the queries for the public links of a team or a company. */

import { freshness } from "@/navigation/freshness";

export const LINKS = ["links"] as const;

/** A link that is made, changed or revoked is a change of its file. */
export const linkFreshness = [freshness("object", () => [{ queryKey: LINKS }])] as const;
