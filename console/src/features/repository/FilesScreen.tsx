/** Files: folders, shared files and drag-and-drop upload. */

import { useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Endless } from "@/ui/endless";
import { Page } from "@/ui/Page";
import { Segments } from "@/ui/Segments";
import { Failed, Loading } from "@/ui/states";
import { fits, TextFilter } from "@/ui/TextFilter";

import { Crumbs } from "./browser/Crumbs";
import styles from "./browser/Files.module.css";
import { FileTable } from "./browser/FileTable";
import { NewFolder } from "./browser/NewFolder";
import { NoFiles } from "./browser/NoFiles";
import { nameOf, SHOWN, useGo, usePlace, type Place } from "./place";
import { useFolder } from "./queries";
import { DropArea } from "./upload/DropArea";
import { UploadButton } from "./upload/UploadButton";

export default function FilesScreen() {
  const { can } = useSession();
  const place = usePlace();
  const go = useGo();
  const mayUpload = can("files:write");
  return (
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
      </div>
      <Folder key={`${place.show}/${place.folder}`} place={place} />
      {mayUpload && <DropArea folder={place.folder} />}
    </Page>
  );
}

/** Above this many rows, a filter is shown. */
const MANY = 8;

function Folder({ place }: { place: Place }) {
  const [words, setWords] = useState("");
  const folder = useFolder(place);
  if (folder.isPending) return <Loading />;
  if (folder.isError && !folder.data) return <Failed error={folder.error} again={() => void folder.refetch()} />;
  const { folders, items } = folder.data;
  if (folders.length + items.length === 0) return <NoFiles place={place} />;
  const shownFolders = folders.filter((name) => fits(words, name.slice(place.folder.length)));
  const shown = items.filter((item) => fits(words, place.show === "shared" ? item.key : nameOf(item.key)));
  return (
    <>
      {(folders.length + items.length > MANY || folder.hasNextPage) && (
        <div className={styles.filter}>
          <TextFilter label={t("files.filter")} value={words} onChange={setWords} />
        </div>
      )}
      {shownFolders.length + shown.length > 0 && <FileTable place={place} folders={shownFolders} items={shown} />}
      <p className={words === "" ? "sr-only" : styles.count} role="status">
        {words !== "" && t("files.filter.found", { count: shownFolders.length + shown.length })}
      </p>
      <Endless query={folder} eager={words !== ""} />
    </>
  );
}
