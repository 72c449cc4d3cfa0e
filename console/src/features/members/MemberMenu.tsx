/** What can be done with one person of the team. */

import { ActionIcon, Menu } from "@mantine/core";
import { IconDots, IconDoorExit, IconUserCog, IconUserMinus } from "@tabler/icons-react";

import { useSession } from "@/app/session";
import { t } from "@/i18n";

import type { Member } from "./queries";
import { reachable } from "./roles";

export type Deed = "role" | "remove";

export function MemberMenu({ member, onDeed }: { member: Member; onDeed: (deed: Deed) => void }) {
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
          <Menu.Item leftSection={<IconUserCog aria-hidden size={15} />} onClick={() => onDeed("role")}>
            {t("members.role")}
          </Menu.Item>
        )}
        <Menu.Item
          color="danger"
          leftSection={own ? <IconDoorExit aria-hidden size={15} /> : <IconUserMinus aria-hidden size={15} />}
          onClick={() => onDeed("remove")}
        >
          {own ? t("members.leave") : t("members.remove")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
