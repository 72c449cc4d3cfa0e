/** A document, read or edited, with its toolbar. */

import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconHistory, IconHistoryToggle, IconSitemap } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { ago, t } from "@/i18n";
import { useSession } from "@/session";
import { useBrand } from "@/theme/brand";
import { useNames } from "@/ui/names";
import { BackToList } from "@/ui/panes/BackToList";
import { ProcessingDrawer } from "@/ui/processing/ProcessingDrawer";
import { useProcessing } from "@/ui/processing/queries";
import type { Subject } from "@/ui/processing/shapes";
import { ALL_RIGHTS, rightsOn } from "@/ui/sharing/rights";
import { ShareDialog } from "@/ui/sharing/ShareDialog";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";
import { VisibilityMenu } from "@/ui/visibility/VisibilityMenu";
import { useCommand } from "@/ui/commands";
import { ConflictDialog } from "@/ui/writing/conflict/ConflictDialog";
import { Editing } from "@/ui/writing/Editing";
import { Notices } from "@/ui/writing/Notices";
import { useWriting } from "@/ui/writing/open";
import { Reading } from "@/ui/writing/Reading";
import type { Written } from "@/ui/writing/text";
import { Toolbar, type DialogName } from "@/ui/writing/Toolbar";
import { useTurning } from "@/ui/writing/turning";
import { useFollowing } from "@/ui/writing/useFollowing";
import type { Snapshot, Writing } from "@/ui/writing/writing";

import { useAddress, useRefine, type Address } from "../filters";
import type { Document } from "../text";
import { DeleteDialog } from "./DeleteDialog";
import styles from "./Document.module.css";

interface Props {
  writing: Writing<Written>;
  /** As stored on the server; null for a new document. */
  document: Document | null;
  /** Error of the last refetch. */
  lost?: unknown;
}

export function OpenDocument({ writing, document, lost }: Props) {
  const session = useSession();
  const now = useWriting(writing);
  const { edit, show } = useAddress();
  const refine = useRefine();
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const rights = document ? rightsOn(document) : ALL_RIGHTS;
  const edits = (edit === true || document === null) && rights.write && !now.offer;
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
  const facts = <Facts now={now} writing={writing} document={edits ? null : document} mayManage={rights.manage} />;
  return (
    <>
      <Toolbar
        now={now}
        back={<BackToList to="/documents" />}
        label={t("documents.toolbar")}
        words={{ more: t("documents.more"), delete: t("documents.delete") }}
        address={document ? `/app/documents/${document.id}` : undefined}
        rights={rights}
        edits={edits}
        onSave={() => void writing.flush()}
        onTurn={(toEdit) => void turn(toEdit)}
        onDialog={setDialog}
      >
        {document && !edits && (
          <>
            <ToVersions id={document.id} />
            <Button variant="default" size="compact-md" onClick={() => refine({ show: "processing" })}>
              <IconSitemap aria-hidden size={15} />
              <span className={styles.word}>{t("processing.title")}</span>
            </Button>
          </>
        )}
      </Toolbar>
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
      ) : (
        <Reading now={now} writing={rights.write ? writing : undefined} facts={facts} empty={t("documents.empty_body")} />
      )}
      {dialog === "share" && document && (
        <ShareDialog
          id={document.id}
          title={document.title}
          visibility={now.text.visibility}
          onVisibility={(visibility) => writing.write({ visibility }, 0)}
          onClose={close}
        />
      )}
      {show && document && !edits && <ProcessingDrawer subject={fileOf(document)} onClose={() => refine({ show: undefined })} />}
      {dialog === "delete" && document && <DeleteDialog document={document} writing={writing} onClose={close} />}
      {dialog === "conflict" && now.conflict && (
        <ConflictDialog conflict={now.conflict} mine={now.text} writing={writing} onClose={close} />
      )}
    </>
  );
}

function ToVersions({ id }: { id: string }) {
  return (
    <Button
      variant="default"
      size="compact-md"
      renderRoot={(props) => <Link {...props} to="/documents/$id/versions" params={{ id }} search={{}} />}
    >
      <IconHistory aria-hidden size={15} />
      <span className={styles.word}>{t("versions.title")}</span>
    </Button>
  );
}

/** A document is a file whose name is the last part of its key. */
const fileOf = ({ id, key, version }: Document): Subject => ({ id, key, version, filename: key });

/** Opens what has changed. */
function StaleMark({ document }: { document: Document }) {
  const { data } = useProcessing(fileOf(document));
  if (!data?.sources.some(({ stale }) => stale)) return null;
  return (
    <Link to="." search={(now: Address) => ({ ...now, show: "processing" })} replace className={styles.stale}>
      <Tag tone="warning">
        <IconHistoryToggle aria-hidden size={12} />
        {t("processing.stale")}
      </Tag>
    </Link>
  );
}

interface FactsProps {
  now: Snapshot;
  writing: Writing<Written>;
  document: Document | null;
  mayManage: boolean;
}

/** Metadata below the title: access level, owner, time and file. */
function Facts({ now, writing, document, mayManage }: FactsProps) {
  const names = useNames();
  return (
    <div className={styles.facts}>
      <VisibilityMenu visibility={now.text.visibility} shares={0} mayChange={mayManage} onChange={(visibility) => writing.write({ visibility }, 0)} />
      {document && (
        <>
          <span>{names.ofOrYou(document.owner)}</span>
          <Time at={document.updated_at}>{t("documents.edited", { when: ago(document.updated_at) })}</Time>
          <Link to="/files/$id" params={{ id: document.id }} className={styles.key} aria-label={`${t("documents.as_file")}: ${document.key}`}>
            {document.key}
          </Link>
          <StaleMark document={document} />
        </>
      )}
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
