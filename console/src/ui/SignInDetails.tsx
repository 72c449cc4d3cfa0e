/** Sign-in details for a new person, shown once: the initial password, or a link to choose one. */

import { t } from "@/i18n";

import { SecretOnce } from "./SecretOnce";

export interface Access {
  member: { username: string; display_name: string };
  link?: string | null;
  password?: string;
}

export function SignInDetails({ access, onClose }: { access: Access; onClose: () => void }) {
  const { member, link, password } = access;
  const { username, display_name: name } = member;
  const signIn = [
    t("newcomer.address", { address: location.origin }),
    t("newcomer.username", { username }),
    t("newcomer.password", { password }),
  ];
  return (
    <SecretOnce
      title={t("newcomer.title", { name })}
      secrets={link ? [link] : signIn}
      filename={`access-${username}.txt`}
      heading={t("newcomer.heading", { username, place: location.host })}
      onClose={onClose}
    >
      {t(link ? "newcomer.words.link" : "newcomer.words.password", { name, username })}
    </SecretOnce>
  );
}
