/** An entity: its relations, when it's mentioned, and the sentences that say so. */

import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { IconArrowMerge, IconArrowsSplit2, IconMessageQuestion, type Icon } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";

import { currentLocale, t } from "@/i18n";
import { useSession } from "@/session";
import { useBrand } from "@/theme/brand";
import type { Pages } from "@/ui/endless";
import { BackToList } from "@/ui/panes/BackToList";
import list from "@/ui/panes/PaneList.module.css";
import { PassagePanel, WholeFile } from "@/ui/passage/PassagePanel";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";
import { Toolbar } from "@/ui/Toolbar";

import { useAddress, useRefine } from "../address";
import type { Entity, Quote } from "../api";
import { MergeDialog } from "../change/MergeDialog";
import { SplitDialog } from "../change/SplitDialog";
import { useQuotedText } from "../queries";
import { PICTURES } from "../types";
import styles from "./Entity.module.css";
import { Evidence } from "./Evidence";
import { Relations } from "./Relations";
import { Timeline } from "./Timeline";
import { documentsOf, placeOfQuote, sameNames, type Cited } from "./documents";

type DialogName = "merge" | "split";

export function OpenEntity({ entity, pages }: { entity: Entity; pages: Pages }) {
  const { passage } = useAddress();
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const quote = [...entity.mentions, ...entity.relations].find((one) => placeOfQuote(one) === passage);
  const documents = documentsOf(entity);
  const close = (): void => setDialog(null);
  useDocumentTitle(`${entity.name} · ${useBrand().title}`);
  return (
    <div className={styles.entity} data-panel={quote !== undefined}>
      <Actions entity={entity} documents={documents} onDialog={setDialog} />
      <article className={styles.page}>
        <Head entity={entity} />
        <Relations entity={entity} />
        <Timeline documents={documents} />
        <Evidence documents={documents} pages={pages} />
      </article>
      {quote && <Passage key={passage} quote={quote} title={documents.find(({ object_id }) => object_id === quote.object_id)?.title} />}
      {dialog === "merge" && <MergeDialog entity={entity} onClose={close} />}
      {dialog === "split" && <SplitDialog entity={entity} onClose={close} />}
    </div>
  );
}

function Actions({ entity, documents, onDialog }: { entity: Entity; documents: readonly Cited[]; onDialog: (dialog: DialogName) => void }) {
  const { can, has } = useSession();
  const ask = (props: object) => <Link {...props} to="/chat/new" search={{ about: entity.id } as never} />;
  return (
    <Toolbar className={`${list.toolbar} ${styles.toolbar}`} aria-label={t("graph.toolbar")}>
      <BackToList to="/graph" />
      <Tag>{t(`graph.types.${entity.type}`)}</Tag>
      <span className={styles.space} />
      {can("chat:use") && has("chat") && <Action icon={IconMessageQuestion} label={t("graph.ask")} renderRoot={ask} />}
      {can("workflows:write") && has("workflows") && (
        <>
          <Action icon={IconArrowMerge} label={t("graph.merge")} onClick={() => onDialog("merge")} />
          {sameNames(documents).length > 1 && <Action icon={IconArrowsSplit2} label={t("graph.split")} onClick={() => onDialog("split")} />}
        </>
      )}
    </Toolbar>
  );
}

/** On a phone, only its icon is seen. */
function Action({ icon: Picture, label, ...props }: { icon: Icon; label: string; onClick?: () => void; renderRoot?: (props: object) => ReactNode }) {
  return (
    <Button variant="default" size="compact-md" className={styles.action} leftSection={<Picture aria-hidden size={15} />} {...props}>
      <span className={styles.label}>{label}</span>
    </Button>
  );
}

function Head({ entity }: { entity: Entity }) {
  const Picture = PICTURES[entity.type];
  const others = entity.names.filter((name) => name !== entity.name);
  return (
    <header className={styles.head}>
      <Picture aria-hidden size={26} stroke={1.5} />
      <div>
        <h1>{entity.name}</h1>
        <p className="muted">
          {t(entity.more ? "graph.documents.more" : "graph.documents", { count: entity.documents })} <Time at={entity.updated_at} />
        </p>
        {others.length > 0 && <p className="muted">{t("graph.names", { names: new Intl.ListFormat(currentLocale()).format(others) })}</p>}
      </div>
    </header>
  );
}

/** The passage that the address names. */
function Passage({ quote, title }: { quote: Quote; title?: string }) {
  const refine = useRefine();
  const content = useQuotedText(quote);
  return (
    <PassagePanel
      title={title ?? t("graph.evidence.document")}
      quoted={quote}
      version={quote.version}
      content={content}
      open={<WholeFile id={quote.object_id} version={quote.version} quote={quote.quote} />}
      onClose={() => refine({ passage: undefined })}
    />
  );
}
