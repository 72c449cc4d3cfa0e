/** Where a text is shown: the screens, a picture of each with the text in its place, and how it reads with values. */

import { Alert } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import table from "virtual:shown";

import { t } from "@/i18n";
import { samplesOf } from "@/i18n/sample";
import { allowed, useTables } from "@/navigation/tables";
import { useSession } from "@/session";

import type { Message } from "../api";
import { placesOf, viewsOf, type Place } from "../places";
import { Picture } from "./Picture";
import styles from "./Texts.module.css";

interface Props {
  message: Message;
  /** The translation as it's being written, or the source. */
  text: string;
}

export default function Shown({ message, text }: Props) {
  const { screens } = useTables();
  const places = placesOf(message, table, screens);
  const views = viewsOf(places);
  return (
    <section className={styles.shown} aria-label={t("localization.where")}>
      <div className={styles.help}>
        <h4>{t("localization.where")}</h4>
        {typeof places === "string" ? (
          <p>{t(`localization.where.${places}`)}</p>
        ) : (
          <ul className={styles.places}>
            {places.map((place) => (
              <li key={place.screen.path}>
                <PlaceName {...place} />
              </li>
            ))}
          </ul>
        )}
      </div>
      {(places === "refusals" || message.arguments.length > 0) && <Sample text={text} locale={message.locale} isRefusal={places === "refusals"} />}
      {views.length > 0 && <Picture message={message} text={text} views={views} />}
    </section>
  );
}

function PlaceName({ screen, address }: Place) {
  const session = useSession();
  const title = t(screen.title);
  if (!allowed(screen, session) || address === undefined) return title;
  return (
    <Link to={address} target="_blank">
      {title}
    </Link>
  );
}

/** What isn't a message yet has no sample. */
function Sample({ text, locale, isRefusal }: { text: string; locale: string; isRefusal: boolean }) {
  const lines = (samplesOf(text, locale) ?? []).map((line) => (
    <p key={line} lang={locale} dir="auto">
      {line}
    </p>
  ));
  if (lines.length === 0) return null;
  return (
    <div className={styles.help}>
      <h4>{t("localization.sample")}</h4>
      {isRefusal ? (
        <Alert className={styles.refusal} color="danger">
          {lines}
        </Alert>
      ) : (
        <div className={styles.sample}>{lines}</div>
      )}
    </div>
  );
}
