/** Modal dialog: labelled by its title, focuses its first field, and returns focus when it closes. */

import { Suspense, useEffect, useState, type ReactNode } from "react";

import type { WindowProps } from "./DialogWindow";
import styles from "./Dialog.module.css";
import { lazily } from "./lazily";

// Comes with the first dialog, or in the first idle moment: no screen is made of dialogs.
const DialogWindow = lazily(() => import("./DialogWindow"));

/** Mounted only while open, so every opening starts with fresh state. */
export function Dialog(props: WindowProps) {
  useFocusBack();
  return (
    <Suspense>
      <DialogWindow {...props} />
    </Suspense>
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
