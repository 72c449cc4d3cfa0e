/** Keys of the queries for entities, and what makes them stale: they are read out of files, by runs. */

import { freshness } from "@/navigation/freshness";

export const ENTITIES = ["entities"] as const;
export const LISTS = [...ENTITIES, "list"] as const;
export const CHOICES = [...ENTITIES, "choices"] as const;
export const ESTIMATE = [...ENTITIES, "estimate"] as const;
export const one = (id: string) => [...ENTITIES, "one", id] as const;

export const knowledgeFreshness = ["entity", "object", "run"].map((type) => freshness(type, () => [{ queryKey: ENTITIES }]));
