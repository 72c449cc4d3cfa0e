/** Actions for one person. */

import { ActionIcon, Menu } from "@mantine/core";
import { IconDots, IconDoorExit, IconUserCog, IconUserMinus } from "@tabler/icons-react";

import { t } from "@/i18n";
import { useSession } from "@/session";

import type { Member } from "./queries";
import { reachable } from "./roles";

export type MemberAction = "role" | "remove";

export function MemberMenu({ member, onAction }: { member: Member; onAction: (action: MemberAction) => void }) {
  const session = useSession();
  const own = member.user_id === session.me.user.id;
  if (!reachable(session, member)) return null;
  return (
    <Menu position="bottom-end" width={210} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={30} aria-label={t("members.menu", { name: member.display_name })}>
          <IconDots aria-hidden size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {!own && (
          <Menu.Item leftSection={<IconUserCog aria-hidden size={15} />} onClick={() => onAction("role")}>
            {t("members.role")}
          </Menu.Item>
        )}
        <Menu.Item
          color="danger"
          leftSection={own ? <IconDoorExit aria-hidden size={15} /> : <IconUserMinus aria-hidden size={15} />}
          onClick={() => onAction("remove")}
        >
          {own ? t("members.leave") : t("members.remove")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
