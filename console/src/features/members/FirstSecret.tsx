/** What a newcomer needs to get in, this once: the password that was chosen for them, or a first token. */

import { t } from "@/i18n";
import { SecretOnce } from "@/ui/SecretOnce";

import type { Member } from "./queries";

export interface Invited {
  member: Member;
  token: string;
  password?: string;
}

export function FirstSecret({ invited, onClose }: { invited: Invited; onClose: () => void }) {
  const { member, token, password } = invited;
  const { username, display_name: name } = member;
  if (password === undefined) {
    return (
      <SecretOnce
        title={t("members.invite.token.title", { name })}
        secrets={[token]}
        filename={`first-token-${username}.txt`}
        heading={t("members.invite.token.heading", { username, place: location.host })}
        onClose={onClose}
      >
        {t("members.invite.token.words")}
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
