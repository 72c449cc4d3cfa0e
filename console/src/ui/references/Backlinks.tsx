/** The notes and documents that link to an item: below its text, and in the inspector. */

import { IconFileText, IconNotes } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useId } from "react";

import { answer, api, type Schemas } from "@/api/client";
import { t } from "@/i18n";
import { Endless, useEndless } from "@/ui/endless";
import { useNames } from "@/ui/names";
import { Empty, Failed, Loading } from "@/ui/states";
import { Time } from "@/ui/Time";

import styles from "./Backlinks.module.css";
import { REFERENCES } from "./keys";

type Reference = Schemas["TextReference"];

interface Props {
  kind: "note" | "object";
  id: string;
}

const useBacklinks = ({ kind, id }: Props) =>
  useEndless<Reference>([...REFERENCES, kind, id], (cursor) =>
    answer(api.GET("/api/references", { params: { query: { to: `${kind}:${id}`, cursor } } })),
  );

/** Below a text; nothing if nothing links to it. */
export function LinkedFrom(props: Props) {
  const found = useBacklinks(props);
  const heading = useId();
  if (!found.data?.length) return null;
  return (
    <section className={styles.below} aria-labelledby={heading}>
      <h2 id={heading}>{t("references.title")}</h2>
      <List references={found.data} />
      <Endless query={found} />
    </section>
  );
}

/** In the inspector. */
export function Backlinks(props: Props) {
  const found = useBacklinks(props);
  if (found.isPending) return <Loading />;
  if (!found.data) return <Failed error={found.error} again={() => void found.refetch()} />;
  if (found.data.length === 0) return <Empty title={t("references.none")}>{t("references.none.hint")}</Empty>;
  return (
    <>
      <List references={found.data} />
      <Endless query={found} />
    </>
  );
}

function List({ references }: { references: readonly Reference[] }) {
  const names = useNames();
  return (
    <ul className={styles.list}>
      {references.map(({ kind, id, title, author, created_at: at }) => {
        const Icon = kind === "note" ? IconNotes : IconFileText;
        return (
          <li key={`${kind}${id}`}>
            <Link to={kind === "note" ? "/notes/$id" : "/documents/$id"} params={{ id }} search={{}} className={styles.link}>
              <Icon aria-hidden size={16} />
              <b>{title || t("writing.untitled")}</b>
              <span className={styles.by}>
                {names.ofOrYou(author)} · <Time at={at} />
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
