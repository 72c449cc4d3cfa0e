/** A document, read or edited, in its frame. */

import { useDocumentTitle } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconHistoryToggle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { ago, t } from "@/i18n";
import { useSession } from "@/session";
import { useBrand } from "@/theme/brand";
import { useNames } from "@/ui/names";
import { Presence } from "@/ui/presence/Presence";
import { Processing } from "@/ui/processing/Processing";
import { useProcessing } from "@/ui/processing/queries";
import type { Subject } from "@/ui/processing/shapes";
import { Backlinks, LinkedFrom } from "@/ui/references/Backlinks";
import { ALL_RIGHTS, rightsOn, type Rights } from "@/ui/sharing/rights";
import { ShareDialog, sharingTab } from "@/ui/sharing/ShareDialog";
import type { Shared } from "@/ui/sharing/Sharing";
import { Tag } from "@/ui/Tag";
import { Tags } from "@/ui/tags/Tags";
import { Time } from "@/ui/Time";
import { VisibilityMenu } from "@/ui/visibility/VisibilityMenu";
import { useCommand } from "@/ui/commands";
import type { InspectorTab } from "@/ui/inspector/tabs";
import { Marked } from "@/ui/passage/Marked";
import { toList } from "@/ui/topbar/crumbs";
import { useShown, VIEWS, type Shown } from "@/ui/versions/address";
import { useVersions } from "@/ui/versions/queries";
import { VersionList } from "@/ui/versions/VersionList";
import { ConflictDialog } from "@/ui/writing/conflict/ConflictDialog";
import { Editing } from "@/ui/writing/Editing";
import { Notices } from "@/ui/writing/Notices";
import { useWriting } from "@/ui/writing/open";
import { Reading } from "@/ui/writing/Reading";
import { TextFrame, type DialogName } from "@/ui/writing/TextFrame";
import { useTurning } from "@/ui/writing/turning";
import { useFollowing } from "@/ui/writing/useFollowing";
import type { Snapshot, Writing } from "@/ui/writing/writing";

import { useAddress, type Address } from "../filters";
import { useKnownTags } from "../queries";
import type { Document, DocumentText } from "../text";
import { DeleteDialog } from "./DeleteDialog";
import { Details } from "./Details";
import { OldDocument } from "./OldDocument";
import styles from "./Document.module.css";

interface Props {
  writing: Writing<DocumentText>;
  /** As stored on the server; null for a new document. */
  document: Document | null;
  /** Error of the last refetch. */
  lost?: unknown;
}

export function OpenDocument({ writing, document, lost }: Props) {
  const session = useSession();
  const now = useWriting(writing);
  const { edit, quote } = useAddress();
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const rights = document ? rightsOn(document) : ALL_RIGHTS;
  const edits = (edit === true || document === null) && rights.write && !now.offer;
  const shown = useShown(document?.version ?? 1, VIEWS);
  const turn = useTurning(writing, document?.id, "/documents");
  useDocumentTitle(`${now.text.title || t("writing.untitled")} · ${useBrand().title}`);
  useFollowing(rights.manage && document ? document : undefined);
  useEffect(() => {
    if (now.conflict) setDialog("conflict");
  }, [now.conflict]);

  const refuse = useRefusal(document);
  useCommand("edit", () => (rights.write ? void turn(!edits) : refuse("edit")));
  useCommand("share", () => (rights.manage ? setDialog("share") : refuse("share")));
  useCommand("delete", () => (rights.delete ? setDialog("delete") : refuse("delete")));

  const close = (): void => setDialog(null);
  const sharing: Shared | undefined = document && rights.manage
    ? { kind: "file", id: document.id, visibility: now.text.visibility, onVisibility: (visibility) => writing.write({ visibility }, 0) }
    : undefined;
  const facts = <Facts now={now} writing={writing} document={edits ? null : document} rights={rights} />;
  return (
    <>
      <TextFrame
        name="document"
        now={now}
        crumbs={[toList(t("documents.title"), "/documents")]}
        isPublic={document?.has_public_link}
        label={t("documents.toolbar")}
        words={{ more: t("documents.more"), delete: t("documents.delete") }}
        address={document ? `/app/documents/${document.id}` : undefined}
        rights={rights}
        edits={edits}
        tabs={document ? tabsOf(document, shown, sharing) : []}
        who={<Presence kind="document" id={document?.id} editing={edits} />}
        onSave={() => void writing.flush()}
        onTurn={(toEdit) => void turn(toEdit)}
        onDialog={setDialog}
      >
        <Notices now={now} writing={writing} lost={lost} mayStartOver={session.can("files:write")} onResolve={() => setDialog("conflict")} />
        {edits ? (
          <Editing
            now={now}
            writing={writing}
            facts={facts}
            label={t("documents.field.body")}
            placeholder={t("writing.field.body.hint")}
            onLeave={() => void turn(false)}
          />
        ) : document && shown ? (
          <OldDocument document={document} shown={shown} quote={quote} />
        ) : (
          <Marked quote={quote}>
            <Reading now={now} writing={rights.write ? writing : undefined} facts={facts} empty={t("documents.empty_body")} />
          </Marked>
        )}
        {document && !edits && !shown && <LinkedFrom kind="object" id={document.id} />}
      </TextFrame>
      {dialog === "share" && document && sharing && <ShareDialog {...sharing} title={document.title} onClose={close} />}
      {dialog === "delete" && document && <DeleteDialog document={document} writing={writing} onClose={close} />}
      {dialog === "conflict" && now.conflict && (
        <ConflictDialog conflict={now.conflict} mine={now.text} writing={writing} onClose={close} />
      )}
    </>
  );
}

/** The versions, and how the document came about, belong to what is saved. */
function tabsOf(document: Document, shown?: Shown, sharing?: Shared): InspectorTab[] {
  return [
    { name: "details", title: t("inspector.title"), content: () => <Details document={document} /> },
    ...(sharing ? [sharingTab(sharing)] : []),
    { name: "versions", title: t("versions.title"), content: () => <Versions document={document} shown={shown?.version ?? document.version} /> },
    { name: "links", title: t("references.tab"), content: () => <Backlinks kind="object" id={document.id} /> },
    { name: "processing", title: t("processing.title"), wide: true, content: () => <Processing subject={fileOf(document)} withText /> },
  ];
}

function Versions({ document, shown }: { document: Document; shown: number }) {
  const { id, version: newest } = document;
  return <VersionList id={id} newest={newest} shown={shown} versions={useVersions(id, newest)} mayName={rightsOn(document).write} />;
}

/** A document is a file whose name is the last part of its key. */
const fileOf = ({ id, key, version }: Document): Subject => ({ id, key, version, filename: key });

/** Opens what has changed. */
function StaleMark({ document }: { document: Document }) {
  const { data } = useProcessing(fileOf(document));
  if (!data?.sources.some(({ stale }) => stale)) return null;
  return (
    <Link to="." search={(now: Address) => ({ ...now, inspect: "processing" })} replace className={styles.stale}>
      <Tag tone="warning">
        <IconHistoryToggle aria-hidden size={12} />
        {t("processing.stale")}
      </Tag>
    </Link>
  );
}

interface FactsProps {
  now: Snapshot<DocumentText>;
  writing: Writing<DocumentText>;
  document: Document | null;
  rights: Rights;
}

/** Metadata below the title: access level, owner, time and tags; the file is in the details. */
function Facts({ now, writing, document, rights }: FactsProps) {
  const names = useNames();
  return (
    <div className={styles.facts}>
      <VisibilityMenu visibility={now.text.visibility} shares={0} mayChange={rights.manage} onChange={(visibility) => writing.write({ visibility }, 0)} />
      {document && (
        <>
          <span>{names.ofOrYou(document.owner)}</span>
          <Time at={document.updated_at}>{t("documents.edited", { when: ago(document.updated_at) })}</Time>
          <StaleMark document={document} />
        </>
      )}
      <Tags to="/documents" known={useKnownTags()} tags={now.text.tags} mayChange={rights.write} onChange={(tags) => writing.write({ tags }, 0)} />
    </div>
  );
}

/** For a keyboard shortcut the caller has no permission for: says who owns the item. */
function useRefusal(document: Document | null): (action: "edit" | "share" | "delete") => void {
  const names = useNames();
  return (action) => {
    const message = t("documents.refused.right", { action, owner: document ? names.of(document.owner) : "" });
    notifications.show({ color: "warning", message });
  };
}
