/** The first screen: what is new in the team, and one next step. */

import { Button } from "@mantine/core";
import { IconFile, IconFileText, IconSeeding } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { useSession } from "@/app/session";
import { ago, t } from "@/i18n";
import { Page } from "@/ui/Page";
import { plain } from "@/ui/plain";
import { Empty, Failed, Loading } from "@/ui/states";
import { Time } from "@/ui/Time";

import styles from "./HomeScreen.module.css";
import { useRecentFiles, useRecentNotes, useSeed } from "./queries";

export default function HomeScreen() {
  const { me, can } = useSession();
  return (
    <Page title={t("home.welcome", { name: me.user.display_name })} intro={t("home.where", { team: me.team.name, company: me.org.name })}>
      <Recent mayRead={can("notes:read") || can("notes:write")} />
    </Page>
  );
}

/** Below the notes, and not before them: nothing moves when it comes. */
function RecentFiles() {
  const recent = useRecentFiles();
  if (!recent.data || recent.data.items.length === 0) return null;
  return (
    <section aria-label={t("home.files")}>
      <h2 className={styles.head}>{t("home.files")}</h2>
      <ul className={styles.files}>
        {recent.data.items.map((file) => {
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
    </section>
  );
}

function Recent({ mayRead }: { mayRead: boolean }) {
  const { can } = useSession();
  const recent = useRecentNotes(true);
  const seed = useSeed();
  if (recent.isPending) return <Loading />;
  if (recent.isError) return <Failed error={recent.error} again={() => void recent.refetch()} />;
  if (recent.data.items.length === 0) {
    const maySeed = can("settings:manage") && can("notes:write");
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
        {mayRead ? t("home.empty.words") : t("home.empty.guest")}
      </Empty>
    );
  }
  return (
    <>
      <section aria-label={t("home.recent")}>
        <h2 className={styles.head}>{t("home.recent")}</h2>
        <div className={styles.cards}>
          {recent.data.items.map((note) => (
            <Link key={note.id} to="/notes/$id" params={{ id: note.id }} className={styles.card}>
              <b>{note.title}</b>
              <p>{plain(note.excerpt)}</p>
              <span className="muted">{ago(note.updated_at)}</span>
            </Link>
          ))}
        </div>
      </section>
      <RecentFiles />
    </>
  );
}
