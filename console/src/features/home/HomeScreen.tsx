/** Home: recent notes and files, what's shared with you, and a next step. */

import { Button } from "@mantine/core";
import { IconFile, IconFileText, IconSeeding } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { t } from "@/i18n";
import { useSession, type Session } from "@/session";
import { Page } from "@/ui/Page";
import { plain } from "@/ui/plain";
import { Empty, Failed, Loading } from "@/ui/states";
import { Time } from "@/ui/Time";

import styles from "./HomeScreen.module.css";
import { useNews, useSeed, type FileItem, type News, type NoteItem } from "./queries";

export default function HomeScreen() {
  const { me } = useSession();
  return (
    <Page title={t("home.welcome", { name: me.user.display_name })} intro={t("home.where", { team: me.team.name, company: me.org.name })}>
      <Recent />
    </Page>
  );
}

/** Users without access to the team's content only see what's shared with them. */
const isGuest = ({ can }: Session): boolean => !can("notes:read") && !can("notes:write") && !can("files:read") && !can("files:write");

function Recent() {
  const session = useSession();
  const news = useNews(!isGuest(session));
  if (news.isPending) return <Loading />;
  if (news.isError) return <Failed error={news.error} again={() => void news.refetch()} />;
  const { notes, files, shared } = news.data;
  if (notes.length + files.length + shared.length === 0) return <Nothing />;
  return isGuest(session) ? <ForGuests {...news.data} /> : <ForTheTeam {...news.data} />;
}

function ForGuests({ notes, shared }: News) {
  return (
    <Part title={t("home.shared")}>
      <Notes notes={notes} />
      <Files files={shared} />
    </Part>
  );
}

function ForTheTeam({ notes, files, shared }: News) {
  return (
    <>
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
      {shared.length > 0 && (
        <Part title={t("home.shared")}>
          <Files files={shared} />
        </Part>
      )}
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.part} aria-label={title}>
      <h2 className={styles.head}>{title}</h2>
      {children}
    </section>
  );
}

function Notes({ notes }: { notes: readonly NoteItem[] }) {
  if (notes.length === 0) return null;
  return (
    <div className={styles.cards}>
      {notes.map((note) => (
        <Link key={note.id} to="/notes/$id" params={{ id: note.id }} className={styles.card}>
          <b>{note.title}</b>
          <p>{plain(note.excerpt)}</p>
          <span className="muted">
            <Time at={note.updated_at} />
          </span>
        </Link>
      ))}
    </div>
  );
}

function Files({ files }: { files: readonly FileItem[] }) {
  if (files.length === 0) return null;
  return (
    <ul className={styles.files}>
      {files.map((file) => {
        const isDocument = file.content_type === "text/markdown";
        const Picture = isDocument ? IconFileText : IconFile;
        return (
          <li key={file.id}>
            <Link to={isDocument ? "/documents/$id" : "/files/$id"} params={{ id: file.id }} className={styles.file}>
              <Picture aria-hidden size={17} stroke={1.6} />
              <b>{file.filename}</b>
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
        maySeed && (
          <Button variant="default" loading={seed.isPending} onClick={() => seed.mutate()}>
            {t("home.seed")}
          </Button>
        )
      }
    >
      {t(`home.empty.${maySeed ? "seed" : mayWrite ? "write" : isGuest(session) ? "guest" : "read"}`)}
    </Empty>
  );
}
