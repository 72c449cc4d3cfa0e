/** Upload menu: files or a folder, and their access level. */

import { Button, Menu } from "@mantine/core";
import { IconCheck, IconFiles, IconFolderUp, IconUpload } from "@tabler/icons-react";
import { useRef } from "react";

import { t } from "@/i18n";
import { PICTURES } from "@/ui/visibility/VisibilityWord";
import { useCommand } from "@/ui/commands";

import { chosen } from "./entries";
import styles from "./UploadButton.module.css";
import { UPLOADED_AS, useUploadedAs } from "./uploadedAs";
import { upload } from "./uploads";

export function UploadButton({ folder }: { folder: string }) {
  const [visibility, setVisibility] = useUploadedAs();
  const files = useRef<HTMLInputElement>(null);
  const whole = useRef<HTMLInputElement>(null);
  useCommand("create", () => files.current?.click());
  function take(input: HTMLInputElement): void {
    if (input.files?.length) upload(chosen(input.files), folder, visibility);
    input.value = "";
  }
  return (
    <>
      <Menu width={260} position="bottom-end">
        <Menu.Target>
          <Button leftSection={<IconUpload aria-hidden size={15} />}>{t("files.upload")}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconFiles aria-hidden size={16} />} onClick={() => files.current?.click()}>
            {t("files.upload.files")}
          </Menu.Item>
          <Menu.Item leftSection={<IconFolderUp aria-hidden size={16} />} onClick={() => whole.current?.click()}>
            {t("files.upload.folder")}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>{t("files.upload.as")}</Menu.Label>
          {UPLOADED_AS.map((value) => {
            const Picture = PICTURES[value];
            return (
              <Menu.RadioItem
                key={value}
                value={value}
                checked={value === visibility}
                checkIcon={<IconCheck aria-hidden size={15} />}
                onChange={() => setVisibility(value)}
              >
                <span className={styles.choice}>
                  <Picture aria-hidden size={15} />
                  {t(`files.upload.as.${value}`)}
                </span>
              </Menu.RadioItem>
            );
          })}
        </Menu.Dropdown>
      </Menu>
      <input ref={files} type="file" hidden multiple data-what="files" onChange={(event) => take(event.currentTarget)} />
      <input ref={whole} type="file" hidden data-what="folder" webkitdirectory="" onChange={(event) => take(event.currentTarget)} />
    </>
  );
}
