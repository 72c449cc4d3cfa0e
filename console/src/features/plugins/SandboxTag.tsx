/** What contains a process: its name, and in words what it can't do. */

import { IconShieldCheck } from "@tabler/icons-react";

import type { SandboxTier } from "@/api/extensions";
import { t } from "@/i18n";
import { Tag } from "@/ui/Tag";

export const tierWords = (tier: SandboxTier | null): string => t(tier ? `sandbox.${tier}` : "sandbox.none");

export function SandboxTag({ tier }: { tier: SandboxTier }) {
  return (
    <Tag>
      <IconShieldCheck aria-hidden size={13} />
      {tierWords(tier)}
    </Tag>
  );
}
