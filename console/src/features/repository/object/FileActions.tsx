/** File actions: download; open as document, link and delete in the menu. */

import { Button, Menu } from "@mantine/core";
import { IconDownload, IconFileText, IconLink, IconTrash } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useSession } from "@/session";
import type { Rights } from "@/ui/sharing/rights";

import { useEntryActions } from "../actions";
import { fileEntry } from "../browser/entries";
import { pictureOf } from "../browser/pictures";
import { kindOf } from "../kinds";
import { mayPlace } from "../placing";
import type { FileObject } from "../queries";
import { copyLink } from "./copyLink";
import styles from "./Object.module.css";
import { useDownload } from "./useDownload";

export type FileDialog = "share" | "delete";

interface Props {
  file: FileObject;
  version: number;
}

export function FileActions({ file, version }: Props) {
  const download = useDownload(file);
  return (
    <Button variant="default" size="compact-md" loading={download.isPending} onClick={() => download.mutate(version)}>
      <IconDownload aria-hidden size={15} />
      <span className={styles.word}>{t("action.download")}</span>
    </Button>
  );
}

interface MenuProps {
  file: FileObject;
  rights: Rights;
  onDialog: (dialog: FileDialog) => void;
}

export function FileMenu({ file, rights, onDialog }: MenuProps) {
  const actions = useEntryActions();
  const placeable = mayPlace(file, useSession());
  const item = (deed: "rename" | "move" | "copy") => {
    const Picture = pictureOf(deed);
    return (
      <Menu.Item leftSection={<Picture aria-hidden size={15} />} onClick={() => actions.ask(deed, [fileEntry(file)])}>
        {t(`files.do.${deed}`)}
      </Menu.Item>
    );
  };
  return (
    <>
      {kindOf(file.content_type).shown === "markdown" && (
        <Menu.Item leftSection={<IconFileText aria-hidden size={15} />} component={Link} to={`/documents/${file.id}`}>
          {t("files.as_document")}
        </Menu.Item>
      )}
      {placeable && item("rename")}
      {placeable && item("move")}
      {actions.may("copy") && item("copy")}
      <Menu.Item leftSection={<IconLink aria-hidden size={15} />} onClick={() => void copyLink(file.id)}>
        {t("files.link.copy")}
      </Menu.Item>
      {rights.delete && (
        <>
          <Menu.Divider />
          <Menu.Item color="danger" leftSection={<IconTrash aria-hidden size={15} />} onClick={() => onDialog("delete")}>
            {t("files.delete")}
          </Menu.Item>
        </>
      )}
    </>
  );
}
