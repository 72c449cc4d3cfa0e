/** Share dialog of a conversation: the people with access, and a form to add one. */

import { t } from "@/i18n";
import { Dialog } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";
import { AddPerson } from "@/ui/sharing/people/AddPerson";
import { People } from "@/ui/sharing/people/People";
import type { SharePermission } from "@/ui/sharing/people/shares";

import type { Conversation } from "../api";
import { useShareConversation } from "../queries";
import { titleOf } from "../titles";

const STEPS = {
  steps: ["notes:read", "notes:write"] as const,
  wordsOf: (permission: SharePermission): string => (permission === "notes:read" ? t("chat.may.read") : t("chat.may.continue")),
};

export function ShareDialog({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const share = useShareConversation(conversation.id);
  return (
    <Dialog title={t("sharing.title", { title: titleOf(conversation) })} wide onClose={onClose}>
      <p className="muted">{t("chat.share.words")}</p>
      <AddPerson thing={conversation} share={share} {...STEPS} />
      <Fault fault={share.error} />
      <People thing={conversation} share={share} {...STEPS} />
    </Dialog>
  );
}
