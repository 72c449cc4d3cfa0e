/** Settings of S3 clients to paste. */

import { t } from "@/i18n";

import { ClientSettings } from "./ClientSettings";
import { filled, PROGRAMS, type Connection } from "./programs";

export function Settings({ connection }: { connection: Connection }) {
  const to = filled(connection);
  return <ClientSettings label={t("connect.settings")} programs={PROGRAMS.map(({ steps, ...rest }) => ({ ...rest, steps: steps(to) }))} />;
}
