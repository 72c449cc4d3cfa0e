/** Document list: filter, keyboard navigation and infinite scroll. */

import { Button, Skeleton } from "@mantine/core";
import { IconFileText, IconFilterOff, IconPlus } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useRef } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Endless } from "@/ui/endless";
import { useListKeys } from "@/ui/panes/useListKeys";
import { useSamePlace } from "@/ui/panes/useSamePlace";
import { Empty, Failed } from "@/ui/states";
import { fits, TextFilter } from "@/ui/TextFilter";

import { useAddress, useRefine, type Address } from "../filters";
import { useDocuments } from "../queries";
import styles from "./DocumentList.module.css";
import { DocumentRow } from "./DocumentRow";

export function DocumentList({ openId }: { openId?: string }) {
  const { can } = useSession();
  const pane = useRef<HTMLElement>(null);
  const documents = useDocuments();
  const { q = "" } = useAddress();
  const refine = useRefine();
  const found = documents.data?.filter((document) => fits(q, document.title)) ?? [];
  const walk = useListKeys(pane);
  useSamePlace("documents", pane, documents.isSuccess);
  const entry = found.some((document) => document.id === openId) ? openId : found[0]?.id;
  const Heading = openId === undefined ? "h1" : "h2";
  return (
    // Arrow keys are a shortcut: every link is reachable without them.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section ref={pane} className={styles.pane} aria-label={t("documents.list")} onKeyDown={walk}>
      <header className={styles.head}>
        <div className={styles.title}>
          <Heading>{t("documents.title")}</Heading>
          {can("files:write") && <NewDocument />}
        </div>
        <TextFilter label={t("documents.filter")} value={q} onChange={(words) => refine({ q: words || undefined })} />
      </header>
      {documents.isPending && <Waiting />}
      {documents.isError && !documents.data && <Failed error={documents.error} again={() => void documents.refetch()} />}
      {documents.isSuccess && found.length === 0 && !documents.hasNextPage && <Nothing filtered={q !== ""} />}
      <ul className={styles.list} aria-busy={documents.isPending}>
        {found.map((document) => (
          <DocumentRow key={document.id} document={document} open={document.id === openId} entry={document.id === entry} />
        ))}
      </ul>
      <Endless query={documents} eager={q !== ""} />
      <p className="sr-only" role="status">
        {q !== "" && documents.isSuccess && t("documents.filter.found", { count: found.length })}
      </p>
    </section>
  );
}

function NewDocument() {
  return (
    <Button
      size="compact-sm"
      leftSection={<IconPlus aria-hidden size={14} />}
      renderRoot={(props) => (
        <Link {...props} to="/documents/$id" params={{ id: "new" }} search={(now: Address) => ({ ...now, edit: undefined })} />
      )}
    >
      {t("documents.new")}
    </Button>
  );
}

/** Empty state of the list. */
function Nothing({ filtered }: { filtered: boolean }) {
  const { can } = useSession();
  const refine = useRefine();
  if (filtered) {
    return (
      <Empty
        title={t("documents.none.filtered")}
        icon={IconFilterOff}
        action={
          <Button variant="default" onClick={() => refine({ q: undefined })}>
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

function Waiting() {
  return (
    <div role="status" aria-label={t("state.loading")}>
      {[62, 48, 70, 55, 40, 66].map((width) => (
        <div key={width} className={styles.waiting} aria-hidden>
          <Skeleton height={14} width={`${width}%`} />
          <Skeleton height={12} width="50%" />
        </div>
      ))}
    </div>
  );
}
