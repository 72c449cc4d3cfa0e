/** A file: its preview, with details, versions and provenance in the inspector. */

import { useDocumentTitle } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Navigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, useState } from "react";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { useSession } from "@/session";
import { useBrand } from "@/theme/brand";
import { isDocument } from "@/ui/documents";
import { lazily } from "@/ui/lazily";
import { Marked } from "@/ui/passage/Marked";
import { useNames } from "@/ui/names";
import { Processing } from "@/ui/processing/Processing";
import { Backlinks } from "@/ui/references/Backlinks";
import { rightsOn } from "@/ui/sharing/rights";
import { ShareDialog, sharingTab } from "@/ui/sharing/ShareDialog";
import type { Shared } from "@/ui/sharing/Sharing";
import { MissingItem } from "@/ui/MissingItem";
import { Skeleton } from "@/ui/skeleton/Skeleton";
import type { Crumb } from "@/ui/topbar/crumbs";
import { Presence } from "@/ui/presence/Presence";
import { Kept } from "@/ui/topbar/Kept";
import { ItemFrame } from "@/ui/topbar/ItemFrame";
import { shownIn, type Search, type Shown, type View } from "@/ui/versions/address";
import { OldVersion } from "@/ui/versions/OldVersion";
import { useVersions, type Version } from "@/ui/versions/queries";
import { useCommand } from "@/ui/commands";

import { EntryDialogs } from "../EntryDialogs";
import { isComparable } from "../kinds";
import { crumbsOf, folderOf, titleOf } from "../place";
import { useFile, useRestore, useSetVisibility, type FileObject } from "../queries";
import { DeleteDialog } from "./DeleteDialog";
import { FileActions, FileMenu, type FileDialog } from "./FileActions";
import { FileSkeleton } from "./FileSkeleton";
import { Details, Versions } from "./Inspector";
import styles from "./Object.module.css";
import { Neighbours } from "./Neighbours";
import { Preview } from "./Preview";

const Comparison = lazily<{ file: FileObject; shown: Shown }>(() => import("./Comparison"));

export default function ObjectScreen() {
  const { id } = useParams({ strict: false }) as { id: string };
  const file = useFile(id);
  const { as, ...search } = useSearch({ strict: false }) as Search & { as?: unknown };
  if (file.data && as === "document" && isDocument(file.data.content_type)) return <Navigate to="/documents/$id" params={{ id }} search={search as never} replace />;
  if (file.data) {
    return (
      <EntryDialogs>
        <Shown key={id} file={file.data} gone={isGone(file.error)} />
      </EntryDialogs>
    );
  }
  if (file.isPending) return <FileSkeleton />;
  return <MissingItem error={file.error} again={() => void file.refetch()} list="/files" title={t("files.title")} />;
}

/** Whether a refetch found that the file was deleted, or may no longer be read. */
const isGone = (fault: unknown): boolean => fault instanceof Refusal && [403, 404].includes(fault.status);

function Shown({ file, gone }: { file: FileObject; gone: boolean }) {
  const { me } = useSession();
  const rights = rightsOn(file);
  const [dialog, setDialog] = useState<FileDialog | null>(null);
  const visibility = useSetVisibility(file.id);
  const versions = useVersions(file.id, file.version);
  const search = useSearch({ strict: false }) as Search;
  const version = [...(versions.data ?? []), ...file.versions].find(({ number }) => number === Number(search.version));
  const refuse = useRefusal(file);
  useCommand("share", () => (rights.manage ? setDialog("share") : refuse("share")));
  useCommand("delete", () => (rights.delete ? setDialog("delete") : refuse("delete")));
  const views = version ? viewsOf(file, version) : READ;
  const old = version && shownIn(search, file.version, views);
  const shown = old ? version : { number: file.version, size: file.size, content_type: file.content_type };
  const restore = useRestore(file);
  const name = titleOf(file);
  const sharing: Shared = { kind: "file", id: file.id, visibility: file.visibility, onVisibility: (value) => visibility.mutate(value) };
  useDocumentTitle(`${name} · ${useBrand().title}`);
  return (
    <ItemFrame
      name="file"
      label={t("files.toolbar")}
      crumbs={wayTo(file)}
      here={name}
      heading="h1"
      subject={{ kind: "file", id: file.id }}
      state={
        <span className={styles.kept}>
          <Kept version={file.version} isSaving={visibility.isPending || restore.isPending} />
        </span>
      }
      who={<Presence kind="file" id={file.id} editing={false} />}
      actions={
        <>
          <Neighbours file={file} />
          <FileActions file={file} version={shown.number} />
        </>
      }
      isPublic={file.has_public_link}
      onShare={rights.manage ? () => setDialog("share") : undefined}
      more={{ label: t("files.more"), items: <FileMenu file={file} rights={rights} onDialog={setDialog} /> }}
      opensAtFirst
      tabs={[
        {
          name: "details",
          title: t("inspector.title"),
          content: () => <Details file={file} rights={rights} onVisibility={(value) => visibility.mutate(value)} fault={visibility.error} />,
        },
        ...(rights.manage ? [sharingTab(sharing)] : []),
        { name: "versions", title: t("versions.title"), content: () => <Versions file={file} versions={versions} shown={shown.number} /> },
        { name: "links", title: t("references.tab"), content: () => <Backlinks kind="object" id={file.id} /> },
        { name: "processing", title: t("processing.title"), wide: true, content: () => <Processing subject={file} /> },
      ]}
    >
      <section className={styles.preview} aria-label={t("files.preview")}>
        {gone && (
          <div className={styles.old} role="alert">
            <IconAlertTriangle aria-hidden size={18} />
            <p>{t("writing.lost")}</p>
          </div>
        )}
        {old && (
          <OldVersion
            key={old.version}
            shown={old}
            newest={file.version}
            views={views}
            restore={rights.write && file.team_id === me.team.id ? () => restore.mutateAsync(version) : undefined}
          />
        )}
        {old && old.view !== "read" ? (
          <Suspense fallback={<Skeleton shape="text" />}>
            <Comparison key={old.version} file={file} shown={old} />
          </Suspense>
        ) : (
          <Marked quote={typeof search.quote === "string" ? search.quote : undefined}>
            <Preview id={file.id} filename={file.filename} version={shown.number} size={shown.size} contentType={shown.content_type} />
          </Marked>
        )}
      </section>
      {dialog === "share" && (
        <ShareDialog {...sharing} title={name} onClose={() => setDialog(null)} />
      )}
      {dialog === "delete" && <DeleteDialog file={file} onClose={() => setDialog(null)} />}
    </ItemFrame>
  );
}

const READ: readonly View[] = ["read"];

/** Only texts of the same kind are compared. */
function viewsOf(file: FileObject, version: Version): readonly View[] {
  if (!isComparable(version) || !isComparable(file)) return READ;
  return isDocument(file.content_type) ? ["read", "changes", "source"] : ["read", "changes"];
}

function wayTo(file: FileObject): Crumb[] {
  const folders = [{ name: t("files.title"), folder: "" }, ...crumbsOf(folderOf(file.key))];
  return folders.map(({ name, folder }) => ({ name: name || t("files.unnamed"), to: "/files", search: { in: folder || undefined } }));
}

/** For a keyboard shortcut the caller has no permission for: says who owns the item. */
function useRefusal(file: FileObject): (action: "edit" | "share" | "delete") => void {
  const names = useNames();
  return (action) => {
    const message = t("files.refused.right", { action, owner: names.of(file.owner) });
    notifications.show({ color: "warning", message });
  };
}
