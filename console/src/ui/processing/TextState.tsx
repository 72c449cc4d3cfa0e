/** Whether the file's text is indexed for search. */

import { IconAlertTriangle, IconCircleCheck, IconCircleDashed, IconLoader } from "@tabler/icons-react";

import type { Schemas } from "@/api/client";
import { t } from "@/i18n";
import { Tag, type Tone } from "@/ui/Tag";

import styles from "./Processing.module.css";

const LOOKS = {
  none: { tone: "plain", icon: IconCircleDashed },
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
  return known ? t(`processing.fault.${known}`) : fault;
}

export function TextState({ state, fault }: { state: Schemas["RepositoryObject"]["text_state"]; fault: string | null }) {
  const { tone, icon: Picture } = LOOKS[state];
  const why = fault ? faultWords(fault) : state === "none" ? t("processing.text.none.words") : null;
  return (
    <>
      <Tag tone={tone}>
        <Picture aria-hidden size={12} />
        {t(`processing.text.${state}`)}
      </Tag>
      {why && <p className={styles.why}>{why}</p>}
    </>
  );
}
