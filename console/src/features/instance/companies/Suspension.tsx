/** Suspends and resumes a company. */

import { Button } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { notice, noticeFault } from "@/ui/notice";
import { Section } from "@/ui/Page";
import { Time } from "@/ui/Time";

import { useSuspension, type Company } from "../queries";
import styles from "./Suspension.module.css";

export function Suspension({ company }: { company: Company }) {
  const [asks, setAsks] = useState(false);
  const suspension = useSuspension(company.slug);
  const resume = (): void =>
    suspension.mutate(false, { onSuccess: () => notice(t("companies.resumed", { company: company.name })), onError: noticeFault });
  return (
    <Section title={t("companies.suspension")} intro={t("companies.suspension.words")}>
      {company.suspended ? (
        <div className={styles.row}>
          <p>
            {t("companies.suspended.since")} {company.suspended_at && <Time at={company.suspended_at} />}
          </p>
          <Button loading={suspension.isPending} onClick={resume}>
            {t("companies.resume", { company: company.name })}
          </Button>
        </div>
      ) : (
        <Button variant="outline" color="danger" onClick={() => setAsks(true)}>
          {t("companies.suspend", { company: company.name })}
        </Button>
      )}
      {asks && (
        <ConfirmDialog
          title={t("companies.suspend.title", { company: company.name })}
          confirm={t("companies.suspend.do")}
          perform={async () => {
            await suspension.mutateAsync(true);
            notice(t("companies.suspend.done", { company: company.name }));
          }}
          onClose={() => setAsks(false)}
        >
          <p>{t("companies.suspend.words", { count: company.teams.length })}</p>
          <ul className={styles.list}>
            <li>{t("companies.suspend.reads")}</li>
            <li>{t("companies.suspend.writes")}</li>
            <li>{t("companies.suspend.people")}</li>
          </ul>
          <p className="muted">{t("companies.suspend.back")}</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
