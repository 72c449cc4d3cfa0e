/** What a newcomer needs to get in, this once: how to sign in where a password was chosen, and their first token. */

import { t } from "@/i18n";
import { SecretOnce } from "@/ui/SecretOnce";

import type { Colleague } from "./queries";

export interface Added {
  member: Colleague;
  token: string;
  password: string | undefined;
}

export function Newcomer({ added, onClose }: { added: Added; onClose: () => void }) {
  const { member, token, password } = added;
  const { username, display_name: name } = member;
  const signIn = password
    ? [
        t("company.newcomer.address", { address: location.origin }),
        t("company.newcomer.username", { username }),
        t("company.newcomer.password", { password }),
      ]
    : [];
  return (
    <SecretOnce
      title={t("company.newcomer.title", { name })}
      secrets={[...signIn, password ? t("company.newcomer.token", { token }) : token]}
      filename={`first-token-${username}.txt`}
      heading={t("company.newcomer.heading", { username, place: location.host })}
      onClose={onClose}
    >
      {t(password ? "company.newcomer.words.password" : "company.newcomer.words", { name })}
    </SecretOnce>
  );
}
