/** Link to what a job is about, such as a file. */

import { IconExternalLink } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { t } from "@/i18n";
import { placeOfObject } from "@/ui/documents";

import type { Job, JobItem, JobOutline } from "./queries";

interface Props {
  job: Job | JobItem | JobOutline;
  className?: string;
  tabIndex?: number;
  onClick?: () => void;
  /** Without content, the link is an icon. */
  children?: ReactNode;
}

/** Nothing where there is no screen for it. */
export function SubjectLink({ job, children, ...rest }: Props) {
  const subject = job.view === "full" ? job.subject : null;
  const place = subject && placeOf(subject);
  if (job.view !== "full" || !place) return children;
  const label = children === undefined ? t("jobs.subject.open", { title: job.title ?? "" }) : undefined;
  return (
    <Link {...rest} {...place} aria-label={label} title={label}>
      {children ?? <IconExternalLink aria-hidden size={16} stroke={1.6} />}
    </Link>
  );
}

function placeOf({ type, id }: NonNullable<Job["subject"]>) {
  if (type === "object") return placeOfObject(id);
  return type === "note" ? { to: "/notes/$id" as const, params: { id }, search: {} } : undefined;
}
