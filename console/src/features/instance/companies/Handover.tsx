/** Access for the owner of a new company, shown once: an activation link, or the first token. */

import type { Schemas } from "@/api/client";
import { t } from "@/i18n";
import { SecretOnce } from "@/ui/SecretOnce";

export function Handover({ created, onClose }: { created: Schemas["CompanyCreated"]; onClose: () => void }) {
  const { org, owner, activation_url: link, token } = created;
  const names = { company: org.name, name: owner.display_name, username: owner.username };
  return (
    <SecretOnce
      title={t(link ? "companies.handover.link" : "companies.handover.token", names)}
      secrets={[link ?? token ?? ""]}
      filename={`${org.slug}-${owner.username}.txt`}
      heading={t("companies.handover.heading", { ...names, place: location.host })}
      onClose={onClose}
    >
      {t(link ? "companies.handover.link.words" : "companies.handover.token.words", names)}
    </SecretOnce>
  );
}
