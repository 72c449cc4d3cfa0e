/** Link to what a job is about, such as a file. */

import { IconExternalLink } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { t } from "@/i18n";

import type { Job, JobItem, JobOutline } from "./queries";

const SCREENS = { object: "/files/$id", note: "/notes/$id" } as const;

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
  const to = subject && SCREENS[subject.type as keyof typeof SCREENS];
  if (job.view !== "full" || !subject || !to) return children;
  const label = children === undefined ? t("jobs.subject.open", { title: job.title ?? "" }) : undefined;
  return (
    <Link {...rest} to={to} params={{ id: subject.id }} search={{}} aria-label={label} title={label}>
      {children ?? <IconExternalLink aria-hidden size={16} stroke={1.6} />}
    </Link>
  );
}
