/** Actions on one entry. */

import { Menu, Portal } from "@mantine/core";
import { IconDots, IconLink } from "@tabler/icons-react";
import { useId, useRef, useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { rightsOn, type Rights } from "@/ui/sharing/rights";
import { StarItem } from "@/ui/shortcuts/StarItem";

import { useEntryActions, type Deed } from "../actions";
import { copyLink } from "../object/copyLink";
import { mayPlace } from "../placing";
import { useFile } from "../queries";
import type { Entry, FileEntry } from "./entries";
import styles from "./FileList.module.css";
import { pictureOf } from "./pictures";

type FileRights = Rights & { place: boolean };

const RIGHT: Partial<Record<Deed, keyof FileRights>> = { rename: "place", move: "place", share: "manage", delete: "delete" };

/** The menu itself comes with the first click: a list has many, and few are opened. */
export function EntryMenu({ entry, tabIndex }: { entry: Entry; tabIndex: number }) {
  // A row shows other entries in the course of time.
  const [asked, setAsked] = useState<string>();
  const id = useId();
  const target = useRef<HTMLButtonElement>(null);
  const opener = useRef<Element | null>(null);
  function open(): void {
    opener.current = document.activeElement;
    setAsked(entry.id);
  }
  // A menu that begins open doesn't know where the focus was, and the button is another one since. It says that it closes also when it is closed.
  function close(): void {
    const from = opener.current;
    opener.current = null;
    if (from === null) return;
    const place = from instanceof HTMLElement && from.isConnected && from !== document.body ? from : target.current;
    place?.focus({ preventScroll: true });
  }
  const button = (
    <button ref={target} id={id} type="button" className={styles.more} tabIndex={tabIndex} aria-haspopup="menu" aria-label={t("files.menu", { name: entry.name })} onClick={open}>
      <IconDots aria-hidden size={17} />
    </button>
  );
  if (asked !== entry.id) return button;
  return (
    <Menu id={id} defaultOpened returnFocus={false} position="bottom-end" width={210} onClose={close}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>{entry.isFolder ? <Items entry={entry} /> : <FileItems entry={entry} />}</Menu.Dropdown>
    </Menu>
  );
}

export interface MenuPlace {
  entry: Entry;
  /** Id of the button of the same menu, which names it, and has the focus after a dialog. */
  button?: string;
  x: number;
  y: number;
}

/** The same menu where the pointer is. */
export function MenuAt({ entry, button, x, y, onClose }: MenuPlace & { onClose: () => void }) {
  return (
    <Portal>
      <Menu opened returnFocus={false} position="bottom-start" width={210} onClose={onClose}>
        <Menu.Target>
          <span aria-hidden style={{ position: "fixed", left: x, top: y }} />
        </Menu.Target>
        <Menu.Dropdown aria-labelledby={button}>{entry.isFolder ? <Items entry={entry} /> : <FileItems entry={entry} />}</Menu.Dropdown>
      </Menu>
    </Portal>
  );
}

/** The rights on one file can be more or less than those of the role. */
function FileItems({ entry }: { entry: FileEntry }) {
  const session = useSession();
  const file = useFile(entry.id);
  return <Items entry={entry} rights={file.data && { ...rightsOn(file.data), place: mayPlace(file.data, session) }} />;
}

function Items({ entry, rights }: { entry: Entry; rights?: FileRights }) {
  const actions = useEntryActions();
  const may = (deed: Deed): boolean => {
    const right = RIGHT[deed];
    return rights && right ? rights[right] : actions.may(deed, [entry]);
  };
  const item = (deed: Deed) => {
    const Picture = pictureOf(deed);
    return (
      <Menu.Item key={deed} color={deed === "delete" ? "danger" : undefined} leftSection={<Picture aria-hidden size={15} />} onClick={() => actions.ask(deed, [entry])}>
        {t(`files.do.${deed}`)}
      </Menu.Item>
    );
  };
  return (
    <>
      {item("download")}
      {!entry.isFolder && (
        <Menu.Item leftSection={<IconLink aria-hidden size={15} />} onClick={() => void copyLink(entry.id)}>
          {t("files.link.copy")}
        </Menu.Item>
      )}
      {!entry.isFolder && <StarItem subject={{ kind: "file", id: entry.id }} title={entry.name} />}
      {may("share") && item("share")}
      {(["rename", "move", "copy"] as const).filter(may).map(item)}
      {may("delete") && (
        <>
          <Menu.Divider />
          {item("delete")}
        </>
      )}
    </>
  );
}
