/** A link to a screen, in the rail, the settings menu or the bottom bar. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import type { NavScreen } from "@/navigation/tables";

import styles from "./NavLink.module.css";

export function NavLink({ screen }: { screen: NavScreen }) {
  const { path, title, nav } = screen;
  return (
    <Link to={path} className={styles.link} title={t(title)} activeProps={{ "aria-current": "page" }} activeOptions={{ exact: path === "/", includeSearch: false }}>
      <nav.icon aria-hidden size={17} stroke={1.6} />
      <span className={styles.title}>{t(title)}</span>
    </Link>
  );
}
