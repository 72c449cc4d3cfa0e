/** Version history of a document: compare any version with another, and restore it. */

import { Button } from "@mantine/core";
import { IconArrowLeft, IconHistory } from "@tabler/icons-react";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Forward } from "@/ui/Back";
import { Diff } from "@/ui/diff/Diff";
import { RenderedDiff } from "@/ui/diff/RenderedDiff";
import { Endless } from "@/ui/endless";
import { Markdown } from "@/ui/markdown/Markdown";
import { notice, noticeFault } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { Segments } from "@/ui/Segments";
import { rightsOn } from "@/ui/sharing/rights";
import { Empty, Failed, Loading } from "@/ui/states";
import { NameVersion } from "@/ui/versions/NameVersion";
import { useVersions } from "@/ui/versions/queries";
import { VersionGroups } from "@/ui/versions/VersionGroups";
import { VersionLine } from "@/ui/versions/VersionLine";

import { useDocument, useDocumentAt, useRestore } from "../queries";
import { wholeOf, type Document } from "../text";
import { addressed, pairOf, VIEWS, type Address, type Against, type View } from "./pair";
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
                <div className={styles.version}>
                  <Link
                    to="/documents/$id/versions"
                    params={{ id }}
                    search={{ ...address, version: version.number }}
                    className={styles.pick}
                    replace
                    activeProps={{ "aria-current": undefined }}
                    aria-current={version.number === address.version ? "true" : undefined}
                    data-open={version.number === address.version || undefined}
                  >
                    <VersionLine version={version} newest={newest} />
                  </Link>
                  {rightsOn(document).write && <NameVersion id={id} version={version} />}
                </div>
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
  const isRead = address.view === "read";
  return (
    <section className={styles.compared} aria-label={t("versions.compare")}>
      <div className={styles.bar}>
        <h2>
          {t("versions.version", { version: isRead ? address.version : from })}
          {!isRead && from !== to && (
            <>
              {" "}
              <Forward /> {to}
            </>
          )}
        </h2>
        {!isRead && (
          <>
            <span className={styles.with} aria-hidden>
              {t("versions.with")}
            </span>
            <Segments<Against>
              aria-label={t("versions.with")}
              value={address.against}
              onChange={(against) => void go({ to: ".", search: { ...address, against }, replace: true })}
              data={(["newest", "before"] as const).map((value) => ({ value, label: t(`versions.with.${value}`) }))}
            />
          </>
        )}
        <Segments<View>
          aria-label={t("versions.view")}
          value={address.view}
          onChange={(view) => void go({ to: ".", search: { ...address, view }, replace: true })}
          data={VIEWS.map((value) => ({ value, label: t(`versions.view.${value}`) }))}
        />
        {isOld && rightsOn(document).write && <Restore document={document} version={address.version} />}
      </div>
      {failed ? (
        <Failed error={failed.error} again={() => void failed.refetch()} />
      ) : older.data && newer.data ? (
        <Text view={address.view} from={older.data} to={newer.data} chosen={address.version === from ? older.data : newer.data} />
      ) : (
        <Loading />
      )}
    </section>
  );
}

interface TextProps {
  view: View;
  from: Document;
  to: Document;
  chosen: Document;
}

function Text({ view, from, to, chosen }: TextProps) {
  if (view === "read") {
    return (
      <article className={styles.read}>
        <h3>{chosen.title}</h3>
        <Markdown text={chosen.body} />
      </article>
    );
  }
  const [older, newer] = [wholeOf(from), wholeOf(to)];
  if (view === "changes") return <RenderedDiff older={older} newer={newer} />;
  return <Diff older={older} newer={newer} heads={[t("versions.version", { version: from.version }), t("versions.version", { version: to.version })]} />;
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
      {t("versions.restore", { version })}
    </Button>
  );
}
