/** Chat: conversations and one of them; on a phone, one of the two. */

import { useParams } from "@tanstack/react-router";

import { Panes } from "@/ui/panes/Panes";

import { NEW } from "./answers";
import { ConversationList } from "./list/ConversationList";
import { ConversationPane } from "./thread/ConversationPane";

export default function ChatScreen() {
  const { id } = useParams({ strict: false }) as { id?: string };
  return (
    <Panes open={id !== undefined} list={<ConversationList openId={id} />}>
      <ConversationPane place={id ?? NEW} />
    </Panes>
  );
}
