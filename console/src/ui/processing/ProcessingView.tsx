/** How a file came to be and what came of it: state, provenance, and runs. */

import { useState } from "react";

import { t } from "@/i18n";
import { Segments } from "@/ui/Segments";
import { Failed, Loading } from "@/ui/states";

import styles from "./Processing.module.css";
import { ProvenanceGraph } from "./ProvenanceGraph";
import { ProvenanceTable } from "./ProvenanceTable";
import { useProcessing, useProvenance } from "./queries";
import { Runs } from "./Runs";
import type { Processing, Subject } from "./shapes";
import { StaleNotice } from "./StaleNotice";
import { TextState } from "./TextState";

interface Props {
  subject: Subject;
  /** Also whether its text is indexed, if nothing else on the page says so. */
  withText?: boolean;
}

export default function ProcessingView({ subject, withText = false }: Props) {
  const processing = useProcessing(subject);
  if (processing.data) return <Shown subject={subject} processing={processing.data} withText={withText} />;
  if (processing.isPending) return <Loading />;
  return <Failed error={processing.error} again={() => void processing.refetch()} />;
}

function Shown({ subject, processing, withText }: Props & { processing: Processing }) {
  return (
    <div className={styles.processing}>
      {withText && (
        <div className={styles.text}>
          <span className="muted">{t("processing.text")}</span>
          <TextState state={processing.text_state} fault={processing.text_fault} />
        </div>
      )}
      <StaleNotice processing={processing} />
      {processing.sources.length + processing.derived.length > 0 ? (
        <Relatives subject={subject} processing={processing} />
      ) : (
        <p className={styles.none}>{t("processing.none")}</p>
      )}
      <Runs id={subject.id} />
    </div>
  );
}

const VIEWS = ["graph", "table"] as const;

function Relatives({ subject, processing }: { subject: Subject; processing: Processing }) {
  const provenance = useProvenance(subject, processing);
  const [view, setView] = useState<(typeof VIEWS)[number]>("graph");
  if (!provenance.data) return <Loading />;
  return (
    <section aria-label={t("processing.provenance")}>
      <div className={styles.heading}>
        <h3>{t("processing.provenance")}</h3>
        <Segments
          aria-label={t("processing.view")}
          value={view}
          onChange={setView}
          data={VIEWS.map((value) => ({ value, label: t(`processing.view.${value}`) }))}
        />
      </div>
      {view === "graph" ? <ProvenanceGraph provenance={provenance.data} /> : <ProvenanceTable provenance={provenance.data} />}
    </section>
  );
}
