/** Dialogs and actions of entries: everything below can ask for them. */

import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { noticeFault } from "@/ui/notice";
import { ShareDialog } from "@/ui/sharing/ShareDialog";
import { useTrashDays } from "@/ui/trash/queries";

import { EntryActionsContext, type Deed, type EntryActions } from "./actions";
import type { Entry, FileEntry } from "./browser/entries";
import { useSetVisibility } from "./queries";
import { download } from "./transfer/download";
import { PlaceDialog } from "./transfer/PlaceDialog";
import { each, into, renaming } from "./transfer/plan";
import { RenameDialog } from "./transfer/RenameDialog";
import { ShareMany } from "./transfer/ShareMany";
import { TransferDialog } from "./transfer/TransferDialog";
import { useTransfer } from "./transfer/useTransfer";

interface Asked {
  deed: Exclude<Deed, "download">;
  entries: readonly Entry[];
}

export function EntryDialogs({ children, onDeleted }: { children: ReactNode; onDeleted?: () => void }) {
  const { can, me } = useSession();
  const client = useQueryClient();
  const [asked, setAsked] = useState<Asked | null>(null);
  const { running, begin, close } = useTransfer();
  const days = useTrashDays();
  async function remove(entries: readonly Entry[]): Promise<void> {
    const gone = await begin({ deed: "delete", gather: each(entries) });
    gone.forEach(({ id }) => client.removeQueries({ queryKey: ["files", "one", id] }));
    if (gone.length > 0) onDeleted?.();
  }
  const permission = {
    download: "files:read", rename: "files:write", move: "files:write", copy: "files:write", share: "files:manage", delete: "files:delete",
  } as const;
  const actions: EntryActions = {
    ask: (deed, entries) => {
      if (deed === "download") void download(entries).catch(noticeFault);
      // One entry is back with a click; many at once are worth a question.
      else if (deed === "delete" && days > 0 && entries.length === 1) void remove(entries);
      else setAsked({ deed, entries });
    },
    put: (entries, folder) => void begin({ deed: "move", gather: into(entries, folder) }),
    may: (deed, entries = []) => {
      if (deed === "download" || can(permission[deed])) return true;
      // Nobody knows whose files a folder holds before it's opened.
      return can("files:write") && entries.every((entry) => entry.isFolder || entry.item.owner === me.user.id);
    },
  };
  const stop = (): void => setAsked(null);
  const [first] = asked?.entries ?? [];
  return (
    <EntryActionsContext value={actions}>
      {children}
      {asked?.deed === "rename" && first && (
        <RenameDialog entry={first} onRename={(name) => void begin({ deed: "move", gather: renaming(first, name) })} onClose={stop} />
      )}
      {(asked?.deed === "move" || asked?.deed === "copy") && (
        <PlaceDialog deed={asked.deed} entries={asked.entries} onPlace={(folder) => void begin({ deed: asked.deed as "move" | "copy", gather: into(asked.entries, folder) })} onClose={stop} />
      )}
      {asked?.deed === "delete" && (
        <DeleteMany
          entries={asked.entries}
          perform={() => remove(asked.entries)}
          onClose={stop}
        />
      )}
      {asked?.deed === "share" && asked.entries.length === 1 && first && !first.isFolder && <ShareOne entry={first} onClose={stop} />}
      {asked?.deed === "share" && (asked.entries.length > 1 || first?.isFolder) && (
        <ShareMany entries={asked.entries} onShare={(act) => begin({ deed: "share", gather: each(asked.entries), act })} onClose={stop} />
      )}
      {running && <TransferDialog running={running} onClose={close} />}
    </EntryActionsContext>
  );
}

interface DeleteProps {
  entries: readonly Entry[];
  perform: () => Promise<unknown>;
  onClose: () => void;
}

function DeleteMany({ entries, perform, onClose }: DeleteProps) {
  const days = useTrashDays();
  const hasFolder = entries.some(({ isFolder }) => isFolder);
  return (
    <ConfirmDialog
      title={t("files.delete.many", { count: entries.length, name: entries[0]?.name ?? "" })}
      confirm={t("files.do.delete")}
      // The transfer shows its own progress and faults.
      perform={() => {
        void perform();
        return Promise.resolve();
      }}
      onClose={onClose}
    >
      <p>{t(hasFolder ? "files.delete.many.folders" : "files.delete.many.words", { count: entries.length })}</p>
      {days > 0 && <p>{t("trash.moves", { days })}</p>}
    </ConfirmDialog>
  );
}

function ShareOne({ entry, onClose }: { entry: FileEntry; onClose: () => void }) {
  const visibility = useSetVisibility(entry.id);
  return (
    <ShareDialog
      kind="file"
      id={entry.id}
      title={entry.name}
      visibility={visibility.data?.visibility ?? entry.item.visibility}
      onVisibility={(value) => visibility.mutate(value)}
      onClose={onClose}
    />
  );
}
