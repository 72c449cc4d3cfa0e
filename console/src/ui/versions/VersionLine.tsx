/** A version in a list: number, author, client if not the console, time and size. */

import { t } from "@/i18n";
import { useNames } from "@/ui/names";
import { bytes } from "@/ui/quantities";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import type { Version } from "./queries";
import styles from "./VersionLine.module.css";

export function VersionLine({ version, newest }: { version: Version; newest: number }) {
  const names = useNames();
  const { number, name, author, actor_kind: kind, size, created_at: at } = version;
  return (
    <span className={styles.line}>
      <span className={styles.number}>
        {name === null ? t("versions.version", { version: number }) : <b className={styles.name}>{name}</b>}
        {number === newest && <Tag tone="accent">{t("versions.newest")}</Tag>}
        {kind !== "human" && <Tag>{t(`versions.actor.${kind}`)}</Tag>}
      </span>
      <span className={styles.by}>
        {name !== null && <span>{t("versions.version", { version: number })}</span>}
        <span>{names.ofOrYou(author)}</span>
        <Time at={at} />
        <span>{bytes(size)}</span>
      </span>
    </span>
  );
}
