/** Instance status: software, database, security and totals. */

import { Button, CopyButton } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Facts } from "@/ui/Facts";
import { Page, Section } from "@/ui/Page";
import { duration } from "@/ui/quantities";
import { Failed, Loading } from "@/ui/states";
import { Time } from "@/ui/Time";

import { useStatus, type Status } from "../queries";
import { Counts } from "./Counts";
import { StatusLine } from "./StatusLine";
import { forThisMachine, Warnings } from "./Warnings";

export default function StatusScreen() {
  const status = useStatus();
  return (
    <Page
      title={t("instance.status")}
      intro={t("instance.status.intro", { host: location.host })}
      actions={status.data && <CopyAll status={status.data} />}
    >
      {status.isPending && <Loading />}
      {status.isError && <Failed error={status.error} again={() => void status.refetch()} />}
      {status.isSuccess && <StatusDetails status={status.data} />}
    </Page>
  );
}

/** For support requests. */
function CopyAll({ status }: { status: Status }) {
  return (
    <CopyButton value={JSON.stringify(status, null, 2)}>
      {({ copied, copy }) => (
        <Button variant="default" leftSection={<IconCopy aria-hidden size={15} />} onClick={copy}>
          {copied ? t("action.copied") : t("instance.copy")}
        </Button>
      )}
    </CopyButton>
  );
}

function StatusDetails({ status }: { status: Status }) {
  const { secrets_at_rest: secrets } = status;
  return (
    <>
      <Warnings status={status} />
      <Counts counts={status.counts} />
      <Section title={t("instance.software")} intro={t("instance.software.words")}>
        <Facts
          facts={[
            [t("instance.version"), status.version],
            [t("instance.schema"), t("instance.schema.number", { schema: status.schema })],
            [t("instance.started"), <Time key="started" at={status.started_at} />],
            [t("instance.uptime"), duration((Date.now() - Date.parse(status.started_at)) / 1000)],
          ]}
        />
      </Section>
      <Section title={t("instance.database")} intro={t("instance.database.words")}>
        <StatusLine words={t(status.database === "sqlite" ? "instance.sqlite.words" : "instance.postgres.words")}>
          {status.database === "sqlite" ? t("instance.sqlite") : t("instance.postgres")}
        </StatusLine>
      </Section>
      <Section title={t("instance.guard")} intro={t("instance.guard.words")}>
        <StatusLine state={tlsOf(status)} words={t(status.tls ? "instance.tls.on.words" : "instance.tls.off.words")}>
          {t(status.tls ? "instance.tls.on" : "instance.tls.off")}
        </StatusLine>
        <StatusLine state={secrets.sealed ? "good" : "bad"} words={t(secrets.key === "setting" ? "instance.key.setting" : "instance.key.file")}>
          {secrets.sealed ? t("instance.sealed", { cipher: secrets.cipher }) : t("instance.unsealed")}
        </StatusLine>
        <StatusLine words={t("instance.kdf.words")}>
          {t("instance.kdf", { kdf: status.kdf })}
        </StatusLine>
      </Section>
      <Section title={t("instance.tenancy")} intro={t("instance.tenancy.words")}>
        <StatusLine words={t(status.multitenant ? "instance.multi.on.words" : "instance.multi.off.words")}>
          {t(status.multitenant ? "instance.multi.on" : "instance.multi.off")}
        </StatusLine>
        <StatusLine state={status.suspended ? "bad" : "good"} words={t(status.hosted ? "instance.hosted.on.words" : "instance.hosted.off.words")}>
          {t(status.suspended ? "instance.hosted.suspended" : status.hosted ? "instance.hosted.on" : "instance.hosted.off")}
        </StatusLine>
      </Section>
    </>
  );
}

/** On localhost nobody can intercept traffic, so it's only a note. */
function tlsOf(status: Status): "good" | "note" | "bad" {
  if (status.tls) return "good";
  return forThisMachine(location.hostname) ? "note" : "bad";
}
