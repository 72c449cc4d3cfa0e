/** Two-factor authentication: status, recovery codes and actions. */

import { Button } from "@mantine/core";
import { IconShieldCheck, IconShieldOff } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Failed, Loading } from "@/ui/states";

import styles from "./Account.module.css";
import { EnrolDialog } from "./EnrolDialog";
import { useCodesLeft, useFactorChanges } from "./queries";
import { RecoveryCodes } from "./RecoveryCodes";
import { TurnOffDialog } from "./TurnOffDialog";

type Step = "idle" | "enrol" | "renew" | "off";
const FEW = 3;

export function SecondFactor() {
  const { me } = useSession();
  const changes = useFactorChanges();
  const [step, setStep] = useState<Step>("idle");
  const [codes, setCodes] = useState<string[] | null>(null);
  const rest = (): void => setStep("idle");
  return (
    <>
      {me.two_factor ? <On onStep={setStep} /> : <Off onStep={setStep} />}
      {step === "enrol" && <EnrolDialog onClose={rest} onCodes={setCodes} />}
      {step === "off" && <TurnOffDialog onClose={rest} />}
      {step === "renew" && (
        <ConfirmDialog
          title={t("account.factor.renew.title")}
          confirm={t("account.factor.renew.do")}
          perform={async () => setCodes(await changes.renew())}
          onClose={rest}
        >
          <p className="muted">{t("account.factor.renew.words")}</p>
        </ConfirmDialog>
      )}
      {codes && step === "idle" && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
    </>
  );
}

function Off({ onStep }: { onStep: (step: Step) => void }) {
  return (
    <div className={styles.state}>
      <IconShieldOff aria-hidden size={22} stroke={1.5} className={styles.quiet} />
      <div className={styles.words}>
        <b>{t("account.factor.off")}</b>
        <span>{t("account.factor.off.words")}</span>
      </div>
      <Button onClick={() => onStep("enrol")}>{t("account.factor.enable")}</Button>
    </div>
  );
}

function On({ onStep }: { onStep: (step: Step) => void }) {
  const left = useCodesLeft();
  if (left.isPending) return <Loading />;
  if (left.isLoadingError) return <Failed error={left.error} again={() => void left.refetch()} />;
  const count = left.data.remaining;
  return (
    <div className={styles.state}>
      <IconShieldCheck aria-hidden size={22} stroke={1.5} className={styles.good} />
      <div className={styles.words}>
        <b>{t("account.factor.on")}</b>
        <span>
          {t("account.factor.codes", { count })}{" "}
          {count <= FEW ? <strong className={styles.alert}>{t("account.factor.codes.few")}</strong> : t("account.factor.codes.words")}
        </span>
      </div>
      <div className={styles.row}>
        <Button variant="default" onClick={() => onStep("renew")}>
          {t("account.factor.renew")}
        </Button>
        <Button variant="default" onClick={() => onStep("off")}>
          {t("account.factor.disable")}
        </Button>
      </div>
    </div>
  );
}
