/** Details of a conversation, in the inspector. */

import { t } from "@/i18n";
import { Copyable } from "@/ui/Copyable";
import { Facts, type Fact } from "@/ui/Facts";
import { useNames } from "@/ui/names";
import { Time } from "@/ui/Time";

import type { Conversation } from "../api";

export function Details({ conversation }: { conversation: Conversation }) {
  const names = useNames();
  const facts: Fact[] = [
    [t("inspector.owner"), names.ofOrYou(conversation.owner)],
    [t("inspector.created"), <Time key="created" at={conversation.created_at} />],
    [t("inspector.changed"), <Time key="changed" at={conversation.updated_at} />],
    [t("inspector.shares"), conversation.shared_with.length === 0 ? t("inspector.shares.none") : conversation.shared_with.map(({ user_id: user }) => names.of(user)).join(", ")],
    [t("inspector.id"), <Copyable key="id" value={conversation.id} label={t("inspector.id")} />],
  ];
  return <Facts facts={facts} />;
}
