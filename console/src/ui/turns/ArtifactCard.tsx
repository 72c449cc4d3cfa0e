/** Something that a tool made or found: opens where it belongs. */

import { Button } from "@mantine/core";
import { IconFileText, IconLink, IconNotes, IconPhoto, IconTable, IconTextCaption, type Icon } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { t } from "@/i18n";
import { placeOfObject } from "@/ui/documents";
import { hostOf, safeAddress } from "@/ui/markdown/addresses";

import type { Artifact } from "./shapes";
import styles from "./Turns.module.css";

const PICTURES: Record<Artifact["kind"], Icon> = { document: IconFileText, table: IconTable, text: IconTextCaption, link: IconLink, image: IconPhoto };
/** More are in the file. */
const MOST_ROWS = 20;
const LONGEST = 4_000;

export function ArtifactCard({ artifact }: { artifact: Artifact }) {
  const Picture = artifact.note_id ? IconNotes : (PICTURES[artifact.kind] ?? IconFileText);
  return (
    <section className={styles.artifact} aria-label={artifact.title}>
      <div className={styles.line}>
        <Picture aria-hidden size={18} />
        <span className={styles.words}>
          <b>{artifact.title}</b>
          <span>{artifact.note_id ? t("turns.reference.note") : artifact.summary}</span>
        </span>
        <Way artifact={artifact} />
      </div>
      <Content artifact={artifact} />
    </section>
  );
}

function Way({ artifact: { title, note_id: note, object_id: object, url } }: { artifact: Artifact }) {
  const label = t("turns.artifact.open");
  const name = t("turns.artifact.open.named", { title });
  if (note) return <Button variant="default" size="compact-sm" aria-label={name} renderRoot={(props) => <Link {...props} to="/notes/$id" params={{ id: note }} />}>{label}</Button>;
  if (object) return <Button variant="default" size="compact-sm" aria-label={name} renderRoot={(props) => <Link {...props} {...placeOfObject(object)} />}>{label}</Button>;
  const address = url ? safeAddress(url) : undefined;
  if (!address) return null;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer" title={address}>
      {hostOf(address) ?? address}
    </a>
  );
}

/* Both scroll by keyboard, too. */
/* eslint-disable jsx-a11y/no-noninteractive-tabindex */
function Content({ artifact: { kind, title, text, columns, rows } }: { artifact: Artifact }): ReactNode {
  if (kind === "table" && rows && rows.length > 0) {
    return (
      <div className={styles.wide} role="region" aria-label={title} tabIndex={0}>
        <table>
          {columns && (
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
          )}
          <tbody>
            {rows.slice(0, MOST_ROWS).map((row, place) => (
              <tr key={place}>
                {row.map((cell, column) => (
                  <td key={column}>{String(cell ?? "")}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length > MOST_ROWS && <p className="muted">{t("turns.artifact.rows", { count: rows.length - MOST_ROWS })}</p>}
      </div>
    );
  }
  if (kind !== "text" || !text) return null;
  return (
    <pre className={styles.excerpt} role="region" aria-label={title} tabIndex={0}>
      {text.slice(0, LONGEST)}
    </pre>
  );
}
