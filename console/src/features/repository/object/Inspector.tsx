/** Details and versions of a file, in the inspector. */

import { ActionIcon, Tooltip } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Endless } from "@/ui/endless";
import { Facts, type Fact } from "@/ui/Facts";
import { Fault } from "@/ui/forms";
import { useNames } from "@/ui/names";
import { bytes } from "@/ui/quantities";
import { TextState } from "@/ui/processing/TextState";
import type { Rights } from "@/ui/sharing/rights";
import { Time } from "@/ui/Time";
import { NameVersion } from "@/ui/versions/NameVersion";
import type { useVersions, Version } from "@/ui/versions/queries";
import { VersionGroups } from "@/ui/versions/VersionGroups";
import { VersionLine } from "@/ui/versions/VersionLine";
import { VisibilityMenu } from "@/ui/visibility/VisibilityMenu";
import type { Visibility } from "@/ui/writing/text";

import { extensionOf, kindOf } from "../kinds";
import type { FileObject } from "../queries";
import styles from "./Object.module.css";
import { useDownload } from "./useDownload";

interface DetailsProps {
  file: FileObject;
  rights: Rights;
  onVisibility: (visibility: Visibility) => void;
  fault: unknown;
}

export function Details({ file, rights, onVisibility, fault }: DetailsProps) {
  const names = useNames();
  const { word } = kindOf(file.content_type);
  const facts: Fact[] = [
    [t("visibility.title"), <VisibilityMenu key="visibility" visibility={file.visibility} shares={0} mayChange={rights.manage} onChange={onVisibility} />],
    [t("files.column.owner"), names.ofOrYou(file.owner)],
    [t("files.column.size"), bytes(file.size)],
    [t("files.column.kind"), word ? t(word) : extensionOf(file.filename) || t("files.kind.other")],
    [t("files.created"), <Time key="created" at={file.created_at} />],
    [t("files.column.changed"), <Time key="changed" at={file.updated_at} />],
    ...(file.text_state === "none" ? [] : [[t("processing.text"), <TextState key="text" state={file.text_state} fault={file.text_fault} />] as const]),
  ];
  return (
    <>
      <Facts facts={facts} />
      <Fault fault={fault} />
    </>
  );
}

interface VersionsProps {
  file: FileObject;
  versions: ReturnType<typeof useVersions>;
  /** The version being viewed. */
  shown: number;
}

export function Versions({ file, versions, shown }: VersionsProps) {
  return (
    <>
      <VersionGroups versions={versions.data ?? file.versions} className={styles.rows} shown={shown}>
        {(version) => <VersionRow file={file} version={version} />}
      </VersionGroups>
      <Endless query={versions} />
    </>
  );
}

function VersionRow({ file, version }: { file: FileObject; version: Version }) {
  const download = useDownload(file);
  const { number } = version;
  const label = t("versions.download", { version: number });
  return (
    <div className={styles.row}>
      <Link
        to="/files/$id"
        params={{ id: file.id }}
        search={number === file.version ? {} : { version: number }}
        className={styles.pick}
        activeOptions={{ exact: true, includeSearch: true }}
        activeProps={{ "aria-current": "true" }}
      >
        <VersionLine version={version} newest={file.version} />
      </Link>
      {file.permissions.includes("files:write") && <NameVersion id={file.id} version={version} />}
      <Tooltip label={label} openDelay={300}>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label={label} loading={download.isPending} onClick={() => download.mutate(number)}>
          <IconDownload aria-hidden size={16} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
