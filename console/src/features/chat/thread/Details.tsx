/** Details of a conversation, in the inspector. */

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Copyable } from "@/ui/Copyable";
import { Facts, type Fact } from "@/ui/Facts";
import { useNames } from "@/ui/names";
import { holderName } from "@/ui/sharing/holders";
import { Time } from "@/ui/Time";

import type { Conversation } from "../api";

export function Details({ conversation }: { conversation: Conversation }) {
  const { me } = useSession();
  const names = useNames();
  const facts: Fact[] = [
    [t("inspector.owner"), names.ofOrYou(conversation.owner)],
    [t("inspector.created"), <Time key="created" at={conversation.created_at} />],
    [t("inspector.changed"), <Time key="changed" at={conversation.updated_at} />],
    [t("inspector.shares"), conversation.shared_with.length === 0 ? t("inspector.shares.none") : conversation.shared_with.map((share) => holderName(share, names, me)).join(", ")],
    [t("inspector.id"), <Copyable key="id" value={conversation.id} label={t("inspector.id")} />],
  ];
  return <Facts facts={facts} />;
}
