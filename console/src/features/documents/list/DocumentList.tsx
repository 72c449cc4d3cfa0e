/** Documents, filtered by title. */

import { Button, Pill } from "@mantine/core";
import { IconFileText, IconFilterOff, IconPlus } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { PaneList } from "@/ui/panes/PaneList";
import { Empty } from "@/ui/states";
import { fits, TextFilter } from "@/ui/TextFilter";
import { useAddressText } from "@/ui/useAddressText";
import { OF_ITEM } from "@/ui/versions/address";

import { useAddress, useRefine, type Address } from "../filters";
import { useDocuments } from "../queries";
import { DocumentRow } from "./DocumentRow";

export function DocumentList({ openId }: { openId?: string }) {
  const { can } = useSession();
  const { q, tag } = useAddress();
  const documents = useDocuments(tag);
  const items = documents.data?.filter((document) => fits(q ?? "", document.title)) ?? [];
  return (
    <PaneList
      name="documents"
      label={t("documents.list")}
      title={t("documents.title")}
      action={can("files:write") && <NewDocument />}
      filters={<Filter />}
      query={documents}
      items={items}
      openId={openId}
      row={(document, place) => <DocumentRow key={document.id} document={document} {...place} />}
      rowHeight={68}
      none={<None />}
      found={q && t("documents.filter.found", { count: items.length })}
    />
  );
}

function NewDocument() {
  return (
    <Button
      size="compact-sm"
      leftSection={<IconPlus aria-hidden size={14} />}
      renderRoot={(props) => (
        <Link {...props} to="/documents/$id" params={{ id: "new" }} search={(now: Address) => ({ ...now, ...OF_ITEM })} />
      )}
    >
      {t("documents.new")}
    </Button>
  );
}

function Filter() {
  const { q, tag } = useAddress();
  const refine = useRefine();
  const [typed, type] = useAddressText(q, (words) => refine({ q: words }));
  return (
    <>
      <TextFilter label={t("documents.filter")} value={typed} onChange={type} />
      {tag && (
        <Pill withRemoveButton removeButtonProps={{ "aria-label": t("documents.filter.none"), "aria-hidden": false, tabIndex: 0 }} onRemove={() => refine({ tag: undefined })}>
          {t("documents.filter.tag", { tag })}
        </Pill>
      )}
    </>
  );
}

function None() {
  const { can } = useSession();
  const { q, tag } = useAddress();
  const refine = useRefine();
  if (q || tag) {
    return (
      <Empty
        title={t("documents.none.filtered")}
        icon={IconFilterOff}
        action={
          <Button variant="default" onClick={() => refine({ q: undefined, tag: undefined })}>
            {t("documents.filter.none")}
          </Button>
        }
      >
        {t("documents.none.filtered.words")}
      </Empty>
    );
  }
  return (
    <Empty title={t("documents.none")} icon={IconFileText} action={can("files:write") && <NewDocument />}>
      {t(`documents.none.${can("files:write") ? "words" : can("files:read") ? "read" : "guest"}`)}
    </Empty>
  );
}
