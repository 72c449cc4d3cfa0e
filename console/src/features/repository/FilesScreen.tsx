/** Files: folders, shared files and drag-and-drop upload. */

import { useMediaQuery } from "@mantine/hooks";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Page } from "@/ui/Page";
import { Segments } from "@/ui/Segments";

import { Crumbs } from "./browser/Crumbs";
import styles from "./browser/Files.module.css";
import { Folder } from "./browser/Folder";
import { NewFolder } from "./browser/NewFolder";
import { useView, ViewSwitch } from "./browser/View";
import { EntryDialogs } from "./EntryDialogs";
import { SHOWN, useGo, usePlace } from "./place";
import { FolderTree } from "./tree/FolderTree";
import { DropArea } from "./upload/DropArea";
import { UploadButton } from "./upload/UploadButton";

export default function FilesScreen() {
  const { can } = useSession();
  const place = usePlace();
  const go = useGo();
  const [view, setView] = useView();
  const isWide = useMediaQuery("(min-width: 1200px)", false, { getInitialValueInEffect: false });
  const mayUpload = can("files:write");
  const hasTree = isWide && view.tree && place.show === "all" && can("files:read");
  return (
    <EntryDialogs>
      <Page
        title={t("files.title")}
        intro={t(`files.intro.${mayUpload ? "write" : can("files:read") ? "read" : "guest"}`)}
        actions={
          mayUpload && (
            <>
              <NewFolder folder={place.folder} />
              <UploadButton folder={place.folder} />
            </>
          )
        }
      >
        <div className={styles.bar}>
          <Segments
            aria-label={t("files.show")}
            value={place.show}
            onChange={(show) => go(show === "shared" ? { show } : {})}
            data={SHOWN.map((value) => ({ value, label: t(`files.show.${value}`) }))}
          />
          {place.show === "all" && <Crumbs folder={place.folder} />}
          <ViewSwitch view={view} onChange={setView} mayShowTree={isWide === true && place.show === "all" && can("files:read")} />
        </div>
        <div className={styles.columns} data-tree={hasTree || undefined}>
          {hasTree && (
            <nav className={styles.tree} aria-label={t("files.tree")}>
              <FolderTree label={t("files.tree")} current={place.folder} onChoose={(folder) => go(folder ? { in: folder } : {})} />
            </nav>
          )}
          <div className={styles.list}>
            <Folder key={`${place.show}/${place.folder}`} place={place} view={view.as} />
          </div>
        </div>
        {mayUpload && <DropArea folder={place.folder} />}
      </Page>
    </EntryDialogs>
  );
}
