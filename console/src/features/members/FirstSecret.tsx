/** What a newcomer needs to get in, this once: the password that was chosen for them, or a link to choose one. */

import { t } from "@/i18n";
import { SecretOnce } from "@/ui/SecretOnce";

import type { Member } from "./queries";

export interface Invited {
  member: Member;
  link?: string | null;
  password?: string;
}

export function FirstSecret({ invited, onClose }: { invited: Invited; onClose: () => void }) {
  const { member, link, password } = invited;
  const { username, display_name: name } = member;
  if (link) {
    return (
      <SecretOnce
        title={t("members.invite.link.title", { name })}
        secrets={[link]}
        filename={`activation-link-${username}.txt`}
        heading={t("members.invite.link.heading", { username, place: location.host })}
        onClose={onClose}
      >
        {t("members.invite.link.words", { name, username })}
      </SecretOnce>
    );
  }
  return (
    <SecretOnce
      title={t("members.invite.password.title", { name })}
      secrets={[
        t("members.invite.line.address", { address: location.origin }),
        t("members.invite.line.username", { username }),
        t("members.invite.line.password", { password }),
      ]}
      filename={`sign-in-${username}.txt`}
      onClose={onClose}
    >
      {t("members.invite.password.words", { name })}
    </SecretOnce>
  );
}
