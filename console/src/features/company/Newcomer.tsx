/** What a newcomer needs to get in, this once: how to sign in where a password was chosen, or a link to choose one. */

import { t } from "@/i18n";
import { SecretOnce } from "@/ui/SecretOnce";

import type { Colleague } from "./queries";

export interface Added {
  member: Colleague;
  link?: string | null;
  password?: string;
}

export function Newcomer({ added, onClose }: { added: Added; onClose: () => void }) {
  const { member, link, password } = added;
  const { username, display_name: name } = member;
  const signIn = [
    t("company.newcomer.address", { address: location.origin }),
    t("company.newcomer.username", { username }),
    t("company.newcomer.password", { password }),
  ];
  return (
    <SecretOnce
      title={t("company.newcomer.title", { name })}
      secrets={link ? [link] : signIn}
      filename={`access-${username}.txt`}
      heading={t("company.newcomer.heading", { username, place: location.host })}
      onClose={onClose}
    >
      {t(link ? "company.newcomer.words.link" : "company.newcomer.words.password", { name, username })}
    </SecretOnce>
  );
}
