/** Commands to paste: what a worker needs to know, and what it says. */

import { slugOf } from "@/ui/slug";

export const tokenFileOf = (name: string): string => `${slugOf(name) || "worker"}.token`;

/** An OpenAI-compatible endpoint as most programs have it; the reader puts their own. */
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
