/** Details of a document, in the inspector. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Copyable } from "@/ui/Copyable";
import { Facts, type Fact } from "@/ui/Facts";
import { useNames } from "@/ui/names";
import { bytes } from "@/ui/quantities";
import { Time } from "@/ui/Time";
import { VisibilityWord } from "@/ui/visibility/VisibilityWord";

import type { Document } from "../text";

function AsFile({ document: { id, key } }: { document: Document }) {
  return (
    <Link to="/files/$id" params={{ id }} aria-label={`${t("documents.as_file")}: ${key}`}>
      {key}
    </Link>
  );
}

export function Details({ document }: { document: Document }) {
  const names = useNames();
  const facts: Fact[] = [
    [t("visibility.title"), <VisibilityWord key="access" visibility={document.visibility} />],
    [t("inspector.owner"), names.ofOrYou(document.owner)],
    [t("inspector.created"), <Time key="created" at={document.created_at} />],
    [t("inspector.changed"), <Time key="changed" at={document.updated_at} />],
    [t("inspector.version"), document.version],
    [t("files.column.size"), bytes(document.size)],
    [t("inspector.file"), <AsFile key="file" document={document} />],
    [t("inspector.id"), <Copyable key="id" value={document.id} label={t("inspector.id")} />],
  ];
  return <Facts facts={facts} />;
}
