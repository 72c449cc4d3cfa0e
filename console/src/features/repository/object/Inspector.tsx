/** Details and versions of a file, in the inspector. */

import { ActionIcon, Tooltip } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Facts, type Fact } from "@/ui/Facts";
import { Fault } from "@/ui/forms";
import { useNames } from "@/ui/names";
import { bytes } from "@/ui/quantities";
import { TextState } from "@/ui/processing/TextState";
import type { Rights } from "@/ui/sharing/rights";
import { Time } from "@/ui/Time";
import type { useVersions } from "@/ui/versions/queries";
import { VersionList } from "@/ui/versions/VersionList";
import { VisibilityMenu } from "@/ui/visibility/VisibilityMenu";
import type { Visibility } from "@/ui/writing/text";

import { kindWord } from "../kinds";
import type { FileObject } from "../queries";
import { useDownload } from "./useDownload";

interface DetailsProps {
  file: FileObject;
  rights: Rights;
  onVisibility: (visibility: Visibility) => void;
  fault: unknown;
}

export function Details({ file, rights, onVisibility, fault }: DetailsProps) {
  const names = useNames();
  const facts: Fact[] = [
    [t("visibility.title"), <VisibilityMenu key="visibility" visibility={file.visibility} shares={0} mayChange={rights.manage} onChange={onVisibility} />],
    [t("files.column.owner"), names.ofOrYou(file.owner)],
    [t("files.column.size"), bytes(file.size)],
    [t("files.column.kind"), kindWord(file.content_type, file.filename)],
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
    <VersionList
      id={file.id}
      newest={file.version}
      shown={shown}
      versions={versions}
      mayName={file.permissions.includes("files:write")}
      action={({ number }) => <Download file={file} number={number} />}
    />
  );
}

function Download({ file, number }: { file: FileObject; number: number }) {
  const download = useDownload(file);
  const label = t("versions.download", { version: number });
  return (
    <Tooltip label={label} openDelay={300}>
      <ActionIcon variant="subtle" color="gray" size={32} aria-label={label} loading={download.isPending} onClick={() => download.mutate(number)}>
        <IconDownload aria-hidden size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
