/** State of an MCP server: icon, label and colour. */

import { IconCircleCheck, IconCircleDashed, IconCircleX, type Icon } from "@tabler/icons-react";

import type { McpServer } from "@/api/extensions";
import { t } from "@/i18n";
import { Tag, type Tone } from "@/ui/Tag";

const LOOKS: Record<McpServer["state"], [Icon, Tone]> = {
  connecting: [IconCircleDashed, "accent"],
  connected: [IconCircleCheck, "success"],
  failed: [IconCircleX, "danger"],
};

export function ServerTag({ state }: { state: McpServer["state"] }) {
  const [Picture, tone] = LOOKS[state];
  return (
    <Tag tone={tone}>
      <Picture aria-hidden size={13} />
      {t(`mcp.state.${state}`)}
    </Tag>
  );
}
