/** The window of a dialog. */

import { Modal } from "@mantine/core";
import { useEffect, useRef, type FocusEvent, type ReactNode } from "react";

import { t } from "@/i18n";

import styles from "./Dialog.module.css";

export interface WindowProps {
  title: string;
  onClose: () => void;
  /** Closes only by its own button: neither Escape nor a click outside closes it. */
  firm?: boolean;
  wide?: boolean;
  children: ReactNode;
}

export default function DialogWindow({ title, onClose, firm = false, wide = false, children }: WindowProps) {
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
