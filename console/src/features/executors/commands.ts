/** Commands to paste, to start a worker and to claim a job. */

import { slugOf } from "@/ui/slug";

export const tokenFileOf = (name: string): string => `${slugOf(name) || "worker"}.token`;

/** Example of an OpenAI-compatible endpoint; the reader replaces it. */
const ENDPOINT = "http://127.0.0.1:11434/v1";

export function commandOf(origin: string, file: string): string {
  return `teamspace worker --server ${origin} --token-file ${file} --url ${ENDPOINT}`;
}

export function claimOf(origin: string, file: string, kinds: readonly string[]): string {
  return [
    `curl -X POST ${origin}/api/workers/claim \\`,
    `  -H "Authorization: Bearer $(cat ${file})" \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify({ kinds, max_wait: 30 })}'`,
  ].join("\n");
}
