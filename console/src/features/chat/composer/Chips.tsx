/** What goes with a prompt, each with a button to remove it. */

import { CloseButton } from "@mantine/core";
import { IconAlertTriangle, IconPhoto } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { t } from "@/i18n";
import { percent } from "@/ui/quantities";
import { ReferenceIcon } from "@/ui/turns/ReferenceIcon";

import type { Reference } from "../drafts";
import type { Attachment } from "./attachments";
import styles from "./Composer.module.css";

interface Props {
  references: readonly Reference[];
  attachments: readonly Attachment[];
  onRemoveReference: (id: string) => void;
  onRemoveAttachment: (id: number) => void;
}

export function Chips({ references, attachments, onRemoveReference, onRemoveAttachment }: Props) {
  if (references.length + attachments.length === 0) return null;
  return (
    <ul className={styles.chips} aria-label={t("turns.attached")}>
      {references.map(({ id, type, title }) => (
        <Chip key={id} name={title} onRemove={() => onRemoveReference(id)}>
          <ReferenceIcon type={type} size={14} />
        </Chip>
      ))}
      {attachments.map(({ id, name, state, progress, image, fault }) => (
        <Chip key={id} name={name} failed={state === "failed"} more={fault ?? (state === "busy" ? percent(progress) : undefined)} onRemove={() => onRemoveAttachment(id)}>
          {state === "failed" ? <IconAlertTriangle aria-hidden size={14} /> : image ? <img src={image} alt="" /> : <IconPhoto aria-hidden size={14} />}
        </Chip>
      ))}
    </ul>
  );
}

interface ChipProps {
  name: string;
  more?: string;
  failed?: boolean;
  onRemove: () => void;
  children: ReactNode;
}

function Chip({ name, more, failed = false, onRemove, children }: ChipProps) {
  return (
    <li className={styles.chip} data-failed={failed || undefined}>
      {children}
      <span className={styles.name}>{name}</span>
      {more && (
        <span className={styles.more} role={failed ? "alert" : undefined}>
          {more}
        </span>
      )}
      <CloseButton size={20} iconSize={13} aria-label={t("chat.attached.remove", { name })} onClick={onRemove} />
    </li>
  );
}
