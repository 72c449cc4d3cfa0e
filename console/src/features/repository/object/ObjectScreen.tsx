/** A file: its preview, with details, versions and provenance in the inspector. */

import { useDocumentTitle } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useParams, useSearch } from "@tanstack/react-router";
import { Suspense, useState } from "react";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { useSession } from "@/session";
import { useBrand } from "@/theme/brand";
import { lazily } from "@/ui/lazily";
import { useNames } from "@/ui/names";
import { Processing } from "@/ui/processing/Processing";
import { Backlinks } from "@/ui/references/Backlinks";
import { rightsOn } from "@/ui/sharing/rights";
import { ShareDialog, sharingTab } from "@/ui/sharing/ShareDialog";
import type { Shared } from "@/ui/sharing/Sharing";
import { Failed, Loading } from "@/ui/states";
import type { Crumb } from "@/ui/topbar/crumbs";
import { Presence } from "@/ui/presence/Presence";
import { ItemFrame } from "@/ui/topbar/ItemFrame";
import { useVersions, type Version } from "@/ui/versions/queries";
import { useCommand } from "@/ui/commands";

import { EntryDialogs } from "../EntryDialogs";
import { isComparable } from "../kinds";
import { crumbsOf, folderOf, titleOf } from "../place";
import { useFile, useSetVisibility, type FileObject } from "../queries";
import { DeleteDialog } from "./DeleteDialog";
import { FileActions, FileMenu, type FileDialog } from "./FileActions";
import { FileSkeleton } from "./FileSkeleton";
import { Details, Versions } from "./Inspector";
import styles from "./Object.module.css";
import { Neighbours } from "./Neighbours";
import { OldVersion } from "./OldVersion";
import { Preview } from "./Preview";

const Comparison = lazily<{ file: FileObject; version: Version }>(() => import("./Comparison"));

export default function ObjectScreen() {
  const { id } = useParams({ strict: false }) as { id: string };
  const file = useFile(id);
  if (file.data) {
    return (
      <EntryDialogs>
        <Shown key={id} file={file.data} gone={isGone(file.error)} />
      </EntryDialogs>
    );
  }
  if (file.isPending) return <FileSkeleton />;
  return <Failed error={file.error} again={() => void file.refetch()} />;
}

/** Whether a refetch found that the file was deleted, or may no longer be read. */
const isGone = (fault: unknown): boolean => fault instanceof Refusal && [403, 404].includes(fault.status);

function Shown({ file, gone }: { file: FileObject; gone: boolean }) {
  const { me } = useSession();
  const rights = rightsOn(file);
  const [dialog, setDialog] = useState<FileDialog | null>(null);
  const visibility = useSetVisibility(file.id);
  const versions = useVersions(file.id, file.version);
  const search: { version?: unknown; view?: unknown } = useSearch({ strict: false });
  const wanted = Number(search.version);
  const version = [...(versions.data ?? []), ...file.versions].find(({ number }) => number === wanted);
  const refuse = useRefusal(file);
  useCommand("share", () => (rights.manage ? setDialog("share") : refuse("share")));
  useCommand("delete", () => (rights.delete ? setDialog("delete") : refuse("delete")));
  const isOld = version !== undefined && version.number !== file.version;
  const shown = isOld ? version : { number: file.version, size: file.size, content_type: file.content_type };
  const view = isOld && isComparable(version) && isComparable(file) ? (search.view === "changes" ? "changes" : "read") : undefined;
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
        {isOld && <OldVersion file={file} version={version} mayRestore={rights.write && file.team_id === me.team.id} view={view} />}
        {isOld && view === "changes" ? (
          <Suspense fallback={<Loading />}>
            <Comparison key={version.number} file={file} version={version} />
          </Suspense>
        ) : (
          <Preview id={file.id} filename={file.filename} version={shown.number} size={shown.size} contentType={shown.content_type} />
        )}
      </section>
      {dialog === "share" && (
        <ShareDialog {...sharing} title={name} onClose={() => setDialog(null)} />
      )}
      {dialog === "delete" && <DeleteDialog file={file} onClose={() => setDialog(null)} />}
    </ItemFrame>
  );
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
