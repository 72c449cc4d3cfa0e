/** How an item is shared: access level, people and teams, public links, and who has access and why. */

import { Button, Collapse } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";

import { t } from "@/i18n";
import { Fault } from "@/ui/forms";
import { Failed } from "@/ui/states";
import type { Visibility } from "@/ui/writing/text";

import { AddTarget } from "./AddTarget";
import { Grants } from "./Grants";
import { CONVERSATION_SHARING, FILE_SHARING, NOTE_SHARING, type Grant, type SharingKind } from "./kinds";
import { PublicLinks } from "./links/PublicLinks";
import { useLinks } from "./links/queries";
import { useGrants, useShare } from "./queries";
import { Readers } from "./Readers";
import styles from "./Sharing.module.css";
import { SharingSkeleton } from "./SharingSkeleton";
import { PrivateButShared, WhoSees } from "./WhoSees";

/** An item that can be shared. */
export interface Shared {
  kind: "file" | "note" | "conversation";
  id: string;
  /** Without, it's always private, and `about` says what those it's shared with see. */
  visibility?: Visibility;
  onVisibility?: (visibility: Visibility) => void;
  about?: string;
  /** Refetches the item, if it names those it's shared with. */
  onShared?: () => void;
}

export default function Sharing({ kind, ...item }: Shared) {
  if (kind === "file") return <Sections kind={FILE_SHARING} {...item} />;
  return <Sections kind={kind === "note" ? NOTE_SHARING : CONVERSATION_SHARING} {...item} />;
}

interface OfKind<Level extends string> extends Omit<Shared, "kind"> {
  kind: SharingKind<Level>;
}

function Sections<Level extends string>(item: OfKind<Level>) {
  const grants = useGrants(item.kind, item.id);
  if (grants.isPending) return <SharingSkeleton />;
  if (!grants.data) return <Failed error={grants.error} again={() => void grants.refetch()} />;
  return <Loaded {...item} grants={grants.data} />;
}

interface Props<Level extends string> extends OfKind<Level> {
  grants: readonly Grant<Level>[];
}

function Loaded<Level extends string>({ kind, id, visibility, onVisibility, about, onShared, grants }: Props<Level>) {
  const share = useShare(kind, id, onShared);
  const isContradicted = visibility === "private" && grants.some(({ expired }) => !expired);
  return (
    <div className={styles.sharing}>
      {visibility && onVisibility && <WhoSees visibility={visibility} onChange={onVisibility} />}
      {about && <p className={styles.none}>{about}</p>}
      <AddTarget kind={kind} grants={grants} share={share} />
      <Fault fault={share.error} />
      <Grants kind={kind} grants={grants} share={share} />
      {isContradicted && onVisibility && <PrivateButShared onChange={onVisibility} />}
      {kind.hasLinks && <PublicLinks id={id} />}
      <Who kind={kind} id={id} visibility={visibility} grants={grants} />
    </div>
  );
}

function Who<Level extends string>({ kind, ...readers }: Pick<Props<Level>, "kind" | "id" | "visibility" | "grants">) {
  const [open, setOpen] = useState(false);
  const list = useId();
  const Arrow = open ? IconChevronDown : IconChevronRight;
  return (
    <div className={styles.who}>
      <Button variant="subtle" color="gray" className={styles.ask} leftSection={<Arrow aria-hidden size={16} />} aria-expanded={open} aria-controls={list} onClick={() => setOpen(!open)}>
        {t("sharing.who")}
      </Button>
      <Collapse expanded={open} id={list}>
        {open && kind.hasLinks && <Published id={readers.id} />}
        {open && <Readers kind={kind} {...readers} />}
      </Collapse>
    </div>
  );
}

function Published({ id }: { id: string }) {
  const count = useLinks(id).data?.filter((link) => link.works).length ?? 0;
  return count > 0 && <p className={styles.none}>{t("sharing.link.who", { count })}</p>;
}
