/** How often an entity is mentioned, in words. */

import { t } from "@/i18n";

import type { EntityItem } from "./api";

/** Of very many documents, only the newest are counted. */
export const countWords = ({ mentions, documents, more }: EntityItem): string => t(more ? "graph.counts.more" : "graph.counts", { mentions, documents });
