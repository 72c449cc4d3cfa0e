/** Modal dialog: labelled by its title, focuses its first field, and returns focus when it closes. */

import { Modal } from "@mantine/core";
import { useEffect, useRef, useState, type FocusEvent, type ReactNode } from "react";

import { t } from "@/i18n";

import styles from "./Dialog.module.css";

interface Props {
  title: string;
  onClose: () => void;
  /** Closes only by its own button: neither Escape nor a click outside closes it. */
  firm?: boolean;
  wide?: boolean;
  children: ReactNode;
}

/** Mounted only while open, so every opening starts with fresh state. */
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

/** In a radio group, the checked radio. */
const FIELDS = "input:not([type=radio]:not(:checked)), textarea, select, [contenteditable=true]";
/** Initial focus, first match wins: the dialog's own choice, a field, the cancel button, any other action. */
const BEGINNINGS = ["[data-autofocus]", FIELDS, "[data-actions] button", "button, a[href]"];

function beginningOf(content: HTMLElement): HTMLElement | undefined {
  const usable = (element: HTMLElement): boolean => !element.matches(":disabled, [type=hidden]") && element.checkVisibility();
  return BEGINNINGS.flatMap((which) => [...content.querySelectorAll<HTMLElement>(which)]).find(usable);
}

/** Holds focus until there's something to focus: content can load after the dialog opens, or change with the next step. */
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

/** Dialog buttons: cancel first, primary action last. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div className={styles.actions} data-actions>
      {children}
    </div>
  );
}

/** Where the first of several consecutive dialogs was opened from: the openers of the others are gone. */
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

/** The element that was clicked. A menu item is gone when the dialog closes; the menu's button isn't. */
function openerOf(): HTMLElement | null {
  const pressed = document.activeElement;
  if (!(pressed instanceof HTMLElement) || pressed === document.body) return null;
  const menu = pressed.closest("[role=menu]");
  const opener = menu ? document.getElementById(menu.getAttribute("aria-labelledby") ?? "") : pressed;
  if (!pressed.closest("[role=dialog]")) outside = opener;
  return opener;
}
