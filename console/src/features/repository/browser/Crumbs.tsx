/** Breadcrumbs of a folder or file. */

import { IconChevronRight } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";

import { crumbsOf, type Crumb } from "../place";
import { useDropTarget } from "./dragging";
import styles from "./Files.module.css";

/** `here` is the file, if one is open. */
export function Crumbs({ folder, here }: { folder: string; here?: string }) {
  const crumbs = [{ name: t("files.root"), folder: "" }, ...crumbsOf(folder)];
  return (
    <nav className={styles.crumbs} aria-label={t("files.crumbs")}>
      <ol>
        {crumbs.map((crumb, place) => (
          <li key={crumb.folder}>
            {place > 0 && <IconChevronRight aria-hidden size={14} />}
            <CrumbLink crumb={crumb} />
          </li>
        ))}
        {here !== undefined && (
          <li>
            <IconChevronRight aria-hidden size={14} />
            <span className={styles.crumb} aria-current="page">
              {here}
            </span>
          </li>
        )}
      </ol>
    </nav>
  );
}

/** Also a place to drop files. */
function CrumbLink({ crumb }: { crumb: Crumb }) {
  const drop = useDropTarget(crumb.folder);
  return (
    <Link
      to="/files"
      search={{ in: crumb.folder || undefined }}
      className={styles.crumb}
      activeOptions={{ exact: true, includeSearch: true }}
      data-into={crumb.folder}
      data-over={drop.isOver || undefined}
      {...drop.handlers}
    >
      {crumb.name || t("files.unnamed")}
    </Link>
  );
}
