/** The screens that show a text, with a way to those that can be opened. */

import { Link } from "@tanstack/react-router";
import table from "virtual:shown";

import { t } from "@/i18n";
import { allowed, useTables } from "@/navigation/tables";
import { useSession } from "@/session";

import type { Message } from "../api";
import { placesOf, type Place } from "../places";
import styles from "./Texts.module.css";

export default function Shown({ message }: { message: Message }) {
  const { screens } = useTables();
  const places = placesOf(message, table, screens);
  return (
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
