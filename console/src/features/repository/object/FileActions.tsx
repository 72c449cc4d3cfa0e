/** File actions: download, share, open as document, delete. */

import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconDots, IconDownload, IconFileText, IconLink, IconShare2, IconTrash } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { notice } from "@/ui/notice";
import type { Rights } from "@/ui/sharing/rights";

import { kindOf } from "../kinds";
import type { FileObject } from "../queries";
import { useDownload } from "./useDownload";

export type FileDialog = "share" | "delete";

interface Props {
  file: FileObject;
  version: number;
  rights: Rights;
  onDialog: (dialog: FileDialog) => void;
}

export function FileActions({ file, version, rights, onDialog }: Props) {
  const download = useDownload(file);
  return (
    <>
      <Button variant="default" leftSection={<IconDownload aria-hidden size={15} />} loading={download.isPending} onClick={() => download.mutate(version)}>
        {t("action.download")}
      </Button>
      {kindOf(file.content_type).shown === "markdown" && (
        <Button variant="default" leftSection={<IconFileText aria-hidden size={15} />} renderRoot={(props) => <Link {...props} to="/documents/$id" params={{ id: file.id }} />}>
          {t("files.as_document")}
        </Button>
      )}
      {rights.manage && (
        <Button leftSection={<IconShare2 aria-hidden size={15} />} onClick={() => onDialog("share")}>
          {t("sharing.share")}
        </Button>
      )}
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size={36} aria-label={t("files.more")}>
            <IconDots aria-hidden size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
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
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

async function copyLink(id: string): Promise<void> {
  await navigator.clipboard.writeText(new URL(`/app/files/${id}`, location.href).href);
  notice(t("files.link.copied"));
}
