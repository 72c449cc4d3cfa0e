/** Whether the file's text is indexed for search. */

import { IconAlertTriangle, IconCircleCheck, IconLoader } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Tag, type Tone } from "@/ui/Tag";

import type { FileObject } from "../queries";
import styles from "./Object.module.css";

const LOOKS = {
  pending: { tone: "accent", icon: IconLoader },
  ready: { tone: "success", icon: IconCircleCheck },
  failed: { tone: "warning", icon: IconAlertTriangle },
} as const satisfies Record<string, { tone: Tone; icon: unknown }>;

const FAULTS = [
  "too_large", "damaged", "encrypted", "unpacks_too_much", "took_too_long", "too_much_memory", "no_text", "crashed",
  "uploader_left", "cancelled",
] as const; // prettier-ignore

function faultWords(fault: string): string {
  const known = FAULTS.find((name) => name === fault);
  return known ? t(`files.text.fault.${known}`) : fault;
}

export function TextState({ state, fault }: { state: Exclude<FileObject["text_state"], "none">; fault: string | null }) {
  const { tone, icon: Picture } = LOOKS[state];
  return (
    <>
      <Tag tone={tone}>
        <Picture aria-hidden size={12} />
        {t(`files.text.${state}`)}
      </Tag>
      {fault && <p className={styles.why}>{faultWords(fault)}</p>}
    </>
  );
}
