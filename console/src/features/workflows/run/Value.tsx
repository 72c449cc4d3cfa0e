/** A value in a run: a card for a document, text as it is, anything else as JSON. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { bytes } from "@/ui/quantities";
import { Snippet } from "@/ui/Snippet";
import { ArtifactCard } from "@/ui/turns/ArtifactCard";
import type { Artifact } from "@/ui/turns/shapes";

import { isFields } from "../spec/shapes";
import { artifactOf, truncatedOf } from "./values";

interface Props {
  label: string;
  value: unknown;
  /** Where the whole value is. */
  jobId?: string | null;
}

export function Value({ label, value, jobId }: Props) {
  const size = truncatedOf(value);
  if (size !== null) {
    return (
      <p>
        {t("workflows.value.truncated", { size: bytes(size) })} {jobId && <JobLink id={jobId}>{t("workflows.value.whole")}</JobLink>}
      </p>
    );
  }
  const artifact = artifactOf(value);
  if (artifact) return <Made label={label} artifact={artifact} fields={isFields(value) ? value.fields : undefined} />;
  if (value === null || value === undefined || value === "") return <p className="muted">{t("workflows.value.none")}</p>;
  return <Snippet label={label} text={typeof value === "string" ? value : JSON.stringify(value, null, 2)} />;
}

/** What was made; of fields that were extracted, their values too. */
function Made({ label, artifact, fields }: { label: string; artifact: Artifact; fields: unknown }) {
  return (
    <>
      <ArtifactCard artifact={artifact} />
      {isFields(fields) && <Snippet label={label} text={JSON.stringify(fields, null, 2)} />}
    </>
  );
}

export function JobLink({ id, children }: { id: string; children: string }) {
  return (
    <Link to="/settings/team/jobs/$id" params={{ id }} search={{} as never}>
      {children}
    </Link>
  );
}
