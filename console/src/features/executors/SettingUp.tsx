/** Adds an executor, then shows its token with setup steps. Mounted with the screen. */

import { useState } from "react";

import { t } from "@/i18n";
import { SecretOnce } from "@/ui/SecretOnce";

import { tokenFileOf } from "./commands";
import { Connecting } from "./Connecting";
import { NewExecutorDialog } from "./NewExecutorDialog";
import { setting } from "./openings";
import type { NewExecutor, Plane } from "./queries";

export function SettingUp({ plane }: { plane: Plane }) {
  const opened = setting.useOpened();
  const [made, setMade] = useState<NewExecutor | null>(null);
  if (made?.token) return <Made executor={made} token={made.token} onClose={() => setMade(null)} />;
  return opened ? <NewExecutorDialog plane={plane} onClose={setting.close} onMade={setMade} /> : null;
}

/** The file contains only the token: it's what a worker reads. */
function Made({ executor, token, onClose }: { executor: NewExecutor; token: string; onClose: () => void }) {
  return (
    <SecretOnce
      title={t("executors.made.title", { name: executor.name })}
      secrets={[token]}
      filename={tokenFileOf(executor.name)}
      more={<Connecting executor={executor} />}
      onClose={onClose}
    >
      {t("executors.made.words")}
    </SecretOnce>
  );
}
