/** The team's usage: bars or a table, history, and usage by person. */

import { Button } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Page } from "@/ui/Page";
import { Segments } from "@/ui/Segments";
import { Skeleton } from "@/ui/skeleton/Skeleton";
import { Failed } from "@/ui/states";

import { Trying } from "./EchoDialog";
import { FIRST_SPAN, History } from "./History";
import { useDays, useSpenders, useUsage } from "./queries";
import { Spenders } from "./Spenders";
import { trying } from "./trying";
import styles from "./Usage.module.css";
import { UsageBar } from "./UsageBar";
import { UsageTable } from "./UsageTable";

type Shape = "bars" | "table";

export default function UsageScreen() {
  const { me, can } = useSession();
  const [shape, setShape] = useState<Shape>("bars");
  const parts = [useUsage(), useDays(FIRST_SPAN), useSpenders()];
  return (
    <Page
      title={t("usage.title")}
      intro={t("usage.intro", { team: me.team.name })}
      actions={
        <>
          {can("chat:use") && (
            <Button variant="default" onClick={trying.open}>
              {t("usage.try")}
            </Button>
          )}
          <Segments
            size="sm"
            aria-label={t("usage.as")}
            value={shape}
            onChange={setShape}
            data={[
              { value: "bars", label: t("usage.as.bars") },
              { value: "table", label: t("usage.as.table") },
            ]}
          />
        </>
      }
    >
      {/* All at once, so that nothing on the page moves when the last comes. */}
      {parts.some(({ isPending }) => isPending) ? (
        <Skeleton shape="blocks" />
      ) : (
        <>
          <Numbers shape={shape} />
          <History />
          <Spenders />
        </>
      )}
      {can("chat:use") && <Trying />}
    </Page>
  );
}

function Numbers({ shape }: { shape: Shape }) {
  const usage = useUsage();
  if (!usage.data) return <Failed error={usage.error} again={() => void usage.refetch()} />;
  return (
    <>
      {shape === "bars" && (
        <div className={styles.bars} aria-hidden>
          {usage.data.items.map((row) => (
            <UsageBar key={row.dimension} usage={row} />
          ))}
        </div>
      )}
      <div className={shape === "bars" ? "sr-only" : undefined}>
        <UsageTable rows={usage.data.items} />
      </div>
    </>
  );
}
