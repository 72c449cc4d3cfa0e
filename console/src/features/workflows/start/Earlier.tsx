/** The run whose input fills in the form, named in the address. */

import { Link, useSearch } from "@tanstack/react-router";

import { t } from "@/i18n";

import { useRun } from "../queries";
import { truncatedOf } from "../run/values";
import { isFields } from "../spec/shapes";

export interface EarlierRun {
  id: string;
  version?: number;
  /** Absent if it can't be read, or is too long. */
  input?: Record<string, unknown>;
}

export function useEarlier(slug: string): EarlierRun | "pending" | undefined {
  const { from } = useSearch({ strict: false }) as { from?: unknown };
  const id = typeof from === "string" ? from : undefined;
  const { data: run, isPending } = useRun(id);
  if (!id) return undefined;
  if (isPending) return "pending";
  if (run?.view !== "full" || run.slug !== slug) return { id };
  return { id, version: run.version, input: isFields(run.input) && truncatedOf(run.input) === null ? run.input : undefined };
}

export function Earlier({ run: { id, version, input }, version: newest }: { run: EarlierRun; version: number }) {
  const isOther = version !== undefined && version !== newest;
  return (
    <p className="muted" role="note">
      {t(input ? "workflows.start.filled" : version === undefined ? "workflows.start.unread" : "workflows.start.long")}{" "}
      {isOther && t("workflows.start.other_version", { version, newest })}{" "}
      <Link to="/workflows/runs/$id" params={{ id }}>
        {t("workflows.fact.resumed.open")}
      </Link>
    </p>
  );
}
