/** What makes a password long enough, said while it is typed; the server judges how easily it is guessed. */

import { t } from "@/i18n";

const SHORTEST = 12;

export function Strength({ password }: { password: string }) {
  const missing = SHORTEST - [...password].length;
  return (
    <p className="muted" aria-live="polite" style={{ margin: 0, fontSize: 12.5 }}>
      {missing > 0 ? t("field.password.hint", { count: missing }) : t("field.password.long_enough")}
    </p>
  );
}
