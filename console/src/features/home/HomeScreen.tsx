/** Home: where you left off, mentions, what's shared with you, what the team does, and what is left to set up. */

import { Button, Group } from "@mantine/core";
import { IconFile, IconFileText, IconSeeding } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useSession, type Session } from "@/session";
import { isDocument, screenOf } from "@/ui/documents";
import { useNames } from "@/ui/names";
import { Page } from "@/ui/Page";
import { plain } from "@/ui/plain";
import { useRecents } from "@/ui/shortcuts/queries";
import { Skeleton } from "@/ui/skeleton/Skeleton";
import { Empty, Failed } from "@/ui/states";
import { Time } from "@/ui/Time";

import { Activity } from "./Activity";
import { useChecklist } from "./checklist";
import { Continue } from "./Continue";
import styles from "./HomeScreen.module.css";
import { Mentions } from "./Mentions";
import { Part } from "./Part";
import { useActivity, useMentions, useNews, useSeed, useShared, type FileItem, type News, type NoteItem } from "./queries";
import { Setup } from "./Setup";
import { SharedWithYou } from "./SharedWithYou";

export default function HomeScreen() {
  const session = useSession();
  const { me } = session;
  const checklist = useChecklist();
  const news = useNews(!isGuest(session));
  const shared = useShared();
  const parts = [checklist, useRecents(), useMentions(), shared, useActivity(), news];
  // Without one of them, nobody knows whether there is anything.
  const failed = news.isError ? news : shared.isLoadingError ? shared : undefined;
  return (
    <Page title={t("home.welcome", { name: me.user.display_name })} intro={t("home.where", { team: me.team.name, company: me.org.name })}>
      {/* All at once, so that nothing on the page moves when the last comes. */}
      {parts.some(({ isPending }) => isPending) ? (
        <Waiting />
      ) : (
        <>
          {checklist.data && <Setup {...checklist.data} />}
          <Continue />
          <Mentions />
          {failed ? <Failed error={failed.error} again={() => void failed.refetch()} /> : <TeamNews {...news.data} />}
        </>
      )}
    </Page>
  );
}

function Waiting() {
  return (
    <>
      <Skeleton shape="cards" />
      <div className={styles.waiting}>
        <Skeleton shape="table" rows={5} />
      </div>
    </>
  );
}

/** Users without access to the team's content only see what's shared with them. */
const isGuest = ({ can }: Session): boolean => !can("notes:read") && !can("notes:write") && !can("files:read") && !can("files:write");

function TeamNews({ notes, files }: News) {
  const isNew = useShared().items.length + notes.length + files.length === 0;
  if (isNew) return <Nothing />;
  return (
    <>
      <SharedWithYou />
      <Activity />
      {notes.length > 0 && (
        <Part title={t("home.recent")}>
          <Notes notes={notes} />
        </Part>
      )}
      {files.length > 0 && (
        <Part title={t("home.files")}>
          <Files files={files} />
        </Part>
      )}
    </>
  );
}

function Notes({ notes }: { notes: readonly NoteItem[] }) {
  const names = useNames();
  return (
    <div className={styles.cards}>
      {notes.map((note) => (
        <Link key={note.id} to="/notes/$id" params={{ id: note.id }} className={styles.card}>
          <b>{note.title}</b>
          <p>{plain(note.excerpt)}</p>
          <span className="muted">
            {names.ofOrYou(note.owner)} · <Time at={note.updated_at} />
          </span>
        </Link>
      ))}
    </div>
  );
}

function Files({ files }: { files: readonly FileItem[] }) {
  const names = useNames();
  return (
    <ul className={styles.files}>
      {files.map((file) => {
        const Picture = isDocument(file.content_type) ? IconFileText : IconFile;
        return (
          <li key={file.id}>
            <Link to={screenOf(file.content_type)} params={{ id: file.id }} className={styles.file}>
              <Picture aria-hidden size={17} stroke={1.6} />
              <b>{file.title}</b>
              <span className={styles.who}>{names.ofOrYou(file.owner)}</span>
              <Time at={file.updated_at} />
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

/** Empty state, with what the user can do next. */
function Nothing() {
  const session = useSession();
  const seed = useSeed();
  const mayWrite = session.can("notes:write");
  const maySeed = mayWrite && session.can("settings:manage");
  return (
    <Empty
      title={t("home.empty")}
      icon={IconSeeding}
      action={
        mayWrite && (
          <Group justify="center">
            <Button renderRoot={(props) => <Link {...props} to="/notes/$id" params={{ id: "new" }} />}>{t("notes.new")}</Button>
            {session.can("files:write") && (
              <Button variant="default" renderRoot={(props) => <Link {...props} to="/files" />}>
                {t("files.upload.files")}
              </Button>
            )}
            {maySeed && (
              <Button variant="default" loading={seed.isPending} onClick={() => seed.mutate()}>
                {t("home.seed")}
              </Button>
            )}
          </Group>
        )
      }
    >
      {t(`home.empty.${maySeed ? "seed" : mayWrite ? "write" : isGuest(session) ? "guest" : "read"}`)}
    </Empty>
  );
}
