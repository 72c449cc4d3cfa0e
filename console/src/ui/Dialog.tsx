/** A dialog: named by its title, begun at its first field, and when it goes the focus is where it was before. */

import { Modal } from "@mantine/core";
import { useEffect, useRef, useState, type FocusEvent, type ReactNode } from "react";

import { t } from "@/i18n";

import styles from "./Dialog.module.css";

interface Props {
  title: string;
  onClose: () => void;
  /** It stays until its own button is pressed: neither Escape nor a click beside it ends it. */
  firm?: boolean;
  wide?: boolean;
  children: ReactNode;
}

/** Rendered while it is open, so that every opening begins afresh. */
export function Dialog({ title, onClose, firm = false, wide = false, children }: Props) {
  useFocusBack();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={wide ? 620 : 460}
      closeOnEscape={!firm}
      closeOnClickOutside={!firm}
      withCloseButton={!firm}
      closeButtonProps={{ "aria-label": t("action.close") }}
      returnFocus={false}
      transitionProps={{ duration: 120 }}
      classNames={{ content: styles.content, header: styles.header, title: styles.title, body: styles.body }}
    >
      <Beginning>{children}</Beginning>
    </Modal>
  );
}

/** Of a group of radios, the one that is chosen. */
const FIELDS = "input:not([type=radio]:not(:checked)), textarea, select, [contenteditable=true]";
/** Where a dialog begins, the first that is there: its own choice, a field, the way back, any other action. */
const BEGINNINGS = ["[data-autofocus]", FIELDS, "[data-actions] button", "button, a[href]"];

function beginningOf(content: HTMLElement): HTMLElement | undefined {
  const usable = (element: HTMLElement): boolean => !element.matches(":disabled, [type=hidden]") && element.checkVisibility();
  return BEGINNINGS.flatMap((which) => [...content.querySelectorAll<HTMLElement>(which)]).find(usable);
}

/** Has the focus only until there is something to begin with: that may come after the dialog, and be replaced by a next step. */
function Beginning({ children }: { children: ReactNode }) {
  const content = useRef<HTMLDivElement>(null);
  const touched = useRef(false);
  const begin = (): void => {
    const { activeElement } = document;
    const isLost = activeElement === document.body || (activeElement === content.current && !touched.current);
    if (content.current && isLost) beginningOf(content.current)?.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (!content.current) return;
    const watch = new MutationObserver(begin);
    watch.observe(content.current, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled"] });
    return () => watch.disconnect();
  }, []);
  return (
    <div
      ref={content}
      className={styles.beginning}
      tabIndex={-1}
      data-autofocus
      onPointerDown={() => {
        touched.current = true;
      }}
      onFocus={(event: FocusEvent) => event.target === event.currentTarget && begin()}
    >
      {children}
    </div>
  );
}

/** The buttons at a dialog's end: the way back first, what it is for last. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div className={styles.actions} data-actions>
      {children}
    </div>
  );
}

/** Where the first of several dialogs in a row was opened from: what opened the others is gone with the one before. */
let outside: HTMLElement | null = null;

export function useFocusBack(): void {
  const [opener] = useState(openerOf);
  useEffect(
    () => () => {
      setTimeout(() => {
        const open = document.querySelector("[role=dialog]");
        if (open && !open.contains(opener)) return;
        const place = [opener, outside, document.getElementById("content")].find((element) => element?.isConnected);
        place?.focus({ preventScroll: true });
      });
    },
    [opener],
  );
}

/** What was pressed; an item of a menu is gone by the time the dialog ends, the menu's button is not. */
function openerOf(): HTMLElement | null {
  const pressed = document.activeElement;
  if (!(pressed instanceof HTMLElement) || pressed === document.body) return null;
  const menu = pressed.closest("[role=menu]");
  const opener = menu ? document.getElementById(menu.getAttribute("aria-labelledby") ?? "") : pressed;
  if (!pressed.closest("[role=dialog]")) outside = opener;
  return opener;
}
