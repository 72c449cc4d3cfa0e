/** Version history of a document: compare any version with another, and restore it. */

import { Button } from "@mantine/core";
import { IconArrowLeft, IconHistory } from "@tabler/icons-react";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Diff } from "@/ui/diff/Diff";
import { Endless } from "@/ui/endless";
import { notice, noticeFault } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { Segments } from "@/ui/Segments";
import { rightsOn } from "@/ui/sharing/rights";
import { Empty, Failed, Loading } from "@/ui/states";
import { useVersions } from "@/ui/versions/queries";
import { VersionGroups } from "@/ui/versions/VersionGroups";
import { VersionLine } from "@/ui/versions/VersionLine";

import { useDocument, useDocumentAt, useRestore } from "../queries";
import { wholeOf, type Document } from "../text";
import { addressed, pairOf, type Address, type Against } from "./pair";
import styles from "./Versions.module.css";

export default function VersionsScreen() {
  const { id } = useParams({ strict: false }) as { id: string };
  const document = useDocument(id);
  if (document.data) return <Shown document={document.data} />;
  if (document.isPending) return <Loading />;
  return <Failed error={document.error} again={() => void document.refetch()} />;
}

function Shown({ document }: { document: Document }) {
  const { id, title, version: newest } = document;
  const versions = useVersions(id, newest);
  const search: Record<string, unknown> = useSearch({ strict: false });
  const address = addressed(search, newest);
  const back = (
    <Button
      variant="default"
      leftSection={<IconArrowLeft aria-hidden size={15} />}
      renderRoot={(props) => <Link {...props} to="/documents/$id" params={{ id }} search={{}} />}
    >
      {t("documents.versions.back")}
    </Button>
  );
  return (
    <Page title={t("documents.versions", { title })} actions={back}>
      {newest === 1 ? (
        <Empty title={t("documents.versions.one")} icon={IconHistory}>
          {t("documents.versions.one.words")}
        </Empty>
      ) : (
        <div className={styles.columns}>
          <section aria-label={t("versions.title")}>
            {versions.isPending && <Loading />}
            {versions.isError && !versions.data && <Failed error={versions.error} again={() => void versions.refetch()} />}
            <VersionGroups versions={versions.data ?? []} className={styles.versions} shown={Number(search.version)}>
              {(version) => (
                <Link
                  to="/documents/$id/versions"
                  params={{ id }}
                  search={{ version: version.number, against: address.against }}
                  className={styles.pick}
                  replace
                  activeProps={{ "aria-current": undefined }}
                  aria-current={version.number === address.version ? "true" : undefined}
                  data-open={version.number === address.version || undefined}
                >
                  <VersionLine version={version} newest={newest} />
                </Link>
              )}
            </VersionGroups>
            <Endless query={versions} />
          </section>
          <Compared document={document} address={address} />
        </div>
      )}
    </Page>
  );
}

function Compared({ document, address }: { document: Document; address: Required<Address> }) {
  const go = useNavigate();
  const [from, to] = pairOf(address, document.version);
  const older = useDocumentAt(document.id, from);
  const newer = useDocumentAt(document.id, to);
  const failed = [older, newer].find((query) => query.isError);
  const isOld = address.version !== document.version;
  return (
    <section className={styles.compared} aria-label={t("versions.compare")}>
      <div className={styles.bar}>
        <h2>{from === to ? t("versions.version", { version: to }) : `${t("versions.version", { version: from })} → ${to}`}</h2>
        <span className={styles.with} aria-hidden>
          {t("versions.with")}
        </span>
        <Segments<Against>
          aria-label={t("versions.with")}
          value={address.against}
          onChange={(against) => void go({ to: ".", search: { version: address.version, against }, replace: true })}
          data={(["newest", "before"] as const).map((value) => ({ value, label: t(`versions.with.${value}`) }))}
        />
        {isOld && rightsOn(document).write && <Restore document={document} version={address.version} />}
      </div>
      {failed ? (
        <Failed error={failed.error} again={() => void failed.refetch()} />
      ) : older.data && newer.data ? (
        <Diff
          older={wholeOf(older.data)}
          newer={wholeOf(newer.data)}
          heads={[t("versions.version", { version: from }), t("versions.version", { version: to })]}
        />
      ) : (
        <Loading />
      )}
    </section>
  );
}

function Restore({ document, version }: { document: Document; version: number }) {
  const go = useNavigate();
  const old = useDocumentAt(document.id, version);
  const restore = useRestore(document);
  async function perform(): Promise<void> {
    if (!old.data) return;
    try {
      const made = await restore.mutateAsync(old.data);
      await go({ to: "/documents/$id", params: { id: document.id }, search: {} });
      notice(t("versions.restored", { old: version, version: made.version }));
    } catch (fault) {
      noticeFault(fault);
    }
  }
  return (
    <Button size="compact-md" leftSection={<IconHistory aria-hidden size={15} />} loading={restore.isPending} disabled={!old.data} onClick={() => void perform()}>
      {t("versions.restore")}
    </Button>
  );
}
