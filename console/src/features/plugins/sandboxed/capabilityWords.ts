/** What a capability lets a plugin do, in words; what stands after the colon limits it. */

import { t } from "@/i18n";

const KNOWN = ["log", "clock", "kv", "repo.read", "notes.read", "search", "ai.chat", "http.fetch"] as const;

/** Undefined for one that the console doesn't know. */
export function capabilityWords(capability: string): string | undefined {
  const [name, ...rest] = capability.split(":");
  const known = KNOWN.find((one) => one === name);
  return known && t(`sandboxed.can.${known}`, { limit: rest.join(":") || "none" });
}
