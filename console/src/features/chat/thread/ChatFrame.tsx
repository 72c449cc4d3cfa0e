/** The frame of a conversation: its title, who sees it, and what can be done with it. */

import { Button, Menu, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconCloudOff, IconLink, IconPencil, IconTrash, IconUsers } from "@tabler/icons-react";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { copy } from "@/ui/clipboard";
import { useCommand } from "@/ui/commands";
import type { InspectorTab } from "@/ui/inspector/tabs";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";
import { useNames } from "@/ui/names";
import { notice } from "@/ui/notice";
import { ShareDialog, sharingTab } from "@/ui/sharing/ShareDialog";
import type { Shared } from "@/ui/sharing/Sharing";
import { Presence } from "@/ui/presence/Presence";
import { Kept } from "@/ui/topbar/Kept";
import { ItemFrame } from "@/ui/topbar/ItemFrame";

import type { Conversation } from "../api";
import { useDelete, useRefetchConversation, useRename } from "../queries";
import { rightsOn, type ChatRights } from "../rights";
import { titleOf } from "../titles";
import { Details } from "./Details";
import styles from "./Thread.module.css";

type Open = "rename" | "share" | "delete" | null;

interface Props {
  conversation?: Conversation;
  lost?: unknown;
  children: ReactNode;
}

/** The frame of a conversation, with the dialogs that its bar opens. */
export function ChatFrame({ conversation, lost, children }: Props) {
  const session = useSession();
  const names = useNames();
  const [open, setOpen] = useState<Open>(null);
  const rights = conversation && rightsOn(conversation, session);
  const manage = (what: Exclude<Open, null>) => () => {
    if (what === "rename" ? rights?.rename : rights?.manage) return setOpen(what);
    if (!conversation) return false;
    notifications.show({ color: "warning", message: t("chat.refused.right", { owner: names.of(conversation.owner) }) });
  };
  useCommand("edit", manage("rename"));
  useCommand("share", manage("share"));
  useCommand("delete", manage("delete"));
  const close = (): void => setOpen(null);
  const onShared = useRefetchConversation(conversation?.id);
  const sharing: Shared | undefined = conversation && rights?.manage
    ? { kind: "conversation", id: conversation.id, about: t("chat.share.words"), onShared }
    : undefined;
  // Without an open conversation, the list has the page's heading.
  const heading = "id" in useParams({ strict: false }) ? "h1" : "h2";
  return (
    <ItemFrame
      name="conversation"
      label={t("chat.toolbar")}
      crumbs={[{ name: t("chat.title"), to: "/chat", search: ({ q }: { q?: string }) => ({ q }) }]}
      here={conversation ? titleOf(conversation) : t("chat.new")}
      heading={heading}
      subject={conversation && { kind: "conversation", id: conversation.id }}
      who={<Presence kind="conversation" id={conversation?.id} editing={false} />}
      state={
        <>
          {rights?.rename && !lost && <Kept />}
          {Boolean(lost) && (
            <span className={styles.shared} role="status">
              <IconCloudOff aria-hidden size={14} />
              <span>{t("chat.stale")}</span>
            </span>
          )}
          {conversation && <SharedMark conversation={conversation} />}
        </>
      }
      onShare={rights?.manage ? () => setOpen("share") : undefined}
      more={conversation && rights ? { label: t("chat.more"), items: <More conversation={conversation} rights={rights} onOpen={setOpen} /> } : undefined}
      tabs={conversation ? tabsOf(conversation, sharing) : []}
    >
      {children}
      {conversation && open === "rename" && <RenameDialog conversation={conversation} onClose={close} />}
      {conversation && sharing && open === "share" && <ShareDialog {...sharing} title={titleOf(conversation)} onClose={close} />}
      {conversation && open === "delete" && <DeleteDialog conversation={conversation} onClose={close} />}
    </ItemFrame>
  );
}

const tabsOf = (conversation: Conversation, sharing?: Shared): InspectorTab[] => [
  { name: "details", title: t("inspector.title"), content: () => <Details conversation={conversation} /> },
  ...(sharing ? [sharingTab(sharing)] : []),
];

function SharedMark({ conversation: { owner, shared_with: shares } }: { conversation: Conversation }) {
  const { me } = useSession();
  const names = useNames();
  if (owner === me.user.id && shares.length === 0) return null;
  const words = owner === me.user.id ? t("chat.shared.with", { count: shares.length }) : t("chat.shared.by", { name: names.of(owner) });
  return (
    <span className={styles.shared} title={words}>
      <IconUsers aria-hidden size={14} />
      <span>{words}</span>
    </span>
  );
}

function More({ conversation, rights, onOpen }: { conversation: Conversation; rights: ChatRights; onOpen: (open: Open) => void }) {
  const link = new URL(`/app/chat/${conversation.id}`, location.href).href;
  return (
    <>
        {rights.rename && (
          <Menu.Item leftSection={<IconPencil aria-hidden size={15} />} onClick={() => onOpen("rename")}>
            {t("chat.rename")}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLink aria-hidden size={15} />} onClick={() => void copy(link, t("writing.link.copied"))}>
          {t("writing.link.copy")}
        </Menu.Item>
        {rights.manage && (
          <>
            <Menu.Divider />
            <Menu.Item color="danger" leftSection={<IconTrash aria-hidden size={15} />} onClick={() => onOpen("delete")}>
              {t("chat.delete")}
            </Menu.Item>
          </>
        )}
    </>
  );
}

const LONGEST_TITLE = 200;

function RenameDialog({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const rename = useRename(conversation.id);
  const { form, sending, fault, submit } = useSending({ title: conversation.title }, async ({ title }) => {
    await rename.mutateAsync(title.trim());
    onClose();
  });
  return (
    <Dialog title={t("chat.rename")} onClose={onClose}>
      <form onSubmit={submit}>
        <TextInput label={t("chat.rename.title")} required maxLength={LONGEST_TITLE} {...form.getInputProps("title")} />
        <Fault fault={fault} fields={["title"]} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={sending} disabled={form.values.title.trim() === ""}>
            {t("action.save")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function DeleteDialog({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const go = useNavigate();
  const remove = useDelete(conversation.id);
  const title = titleOf(conversation);
  async function perform(): Promise<void> {
    await remove.mutateAsync();
    await go({ to: "/chat", search: ({ q }: { q?: string }) => ({ q }) });
    notice(t("chat.deleted", { title }));
  }
  return (
    <ConfirmDialog title={t("chat.delete.title", { title })} confirm={t("chat.delete")} perform={perform} onClose={onClose}>
      <p>{t("chat.delete.words", { count: conversation.shared_with.length })}</p>
    </ConfirmDialog>
  );
}
