/** Recovery codes, shown once. */

import { t } from "@/i18n";
import { useSession } from "@/session";
import { SecretOnce } from "@/ui/SecretOnce";

export function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const { me } = useSession();
  const { username } = me.user;
  return (
    <SecretOnce
      title={t("account.codes.title")}
      secrets={codes}
      filename={`recovery-codes-${username}.txt`}
      heading={t("account.codes.heading", { username, place: location.host })}
      onClose={onClose}
    >
      {t("account.codes.words")}
    </SecretOnce>
  );
}
