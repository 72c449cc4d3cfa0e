/** What goes with a prompt: images, and links to notes and files. */

import { t } from "@/i18n";

import { imagesOf, referencesOf } from "./content";
import { ReferenceLink } from "./Reference";
import type { Content } from "./shapes";
import styles from "./Turns.module.css";

/** Nothing, for a text alone. With `end`, at the end of the line. */
export function Attached({ content, end }: { content: Content; end?: boolean }) {
  const references = referencesOf(content);
  const images = imagesOf(content);
  if (references.length === 0 && images.length === 0) return null;
  return (
    <ul className={styles.attached} data-end={end || undefined} aria-label={t("turns.attached")}>
      {images.map(({ image_url: { url } }, place) => (
        <li key={place}>
          <img className={styles.picture} src={url} alt={t("turns.attached.image")} />
        </li>
      ))}
      {references.map((part, place) => (
        <li key={place}>
          <ReferenceLink part={part} />
        </li>
      ))}
    </ul>
  );
}
