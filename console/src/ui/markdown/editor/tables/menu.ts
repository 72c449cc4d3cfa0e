/** A small menu of plain elements, for handles within the editor. */

import styles from "./Tables.module.css";

export interface Item {
  label: string;
  run: () => void;
  disabled?: boolean;
}

/** Opens below an element; closes by choice, Escape, or a click elsewhere, and gives the focus back. */
export function openMenu(anchor: HTMLElement, label: string, groups: readonly (readonly Item[])[], back: () => void): void {
  const menu = document.createElement("div");
  menu.className = styles.menu ?? "";
  menu.setAttribute("role", "menu");
  menu.setAttribute("aria-label", label);
  const buttons: HTMLButtonElement[] = [];
  const stop = new AbortController();
  function close(returns: boolean): void {
    stop.abort();
    menu.remove();
    if (returns) back();
  }
  groups.filter((items) => items.length > 0).forEach((items, place) => {
    if (place > 0) menu.append(separator());
    for (const item of items) {
      const button = itemOf(item, () => {
        close(false);
        item.run();
      });
      buttons.push(button);
      menu.append(button);
    }
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape" || event.key === "Tab") close(true);
    else if (!move(buttons, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.body.append(menu);
  put(menu, anchor);
  buttons.find(({ disabled }) => !disabled)?.focus({ preventScroll: true });
  document.addEventListener("pointerdown", (event) => !menu.contains(event.target as Node) && close(false), { signal: stop.signal, capture: true });
  window.addEventListener("scroll", () => close(false), { signal: stop.signal, capture: true });
}

function separator(): HTMLElement {
  const line = document.createElement("div");
  line.setAttribute("role", "separator");
  line.className = styles.separator ?? "";
  return line;
}

function itemOf({ label, disabled = false }: Item, run: () => void): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.setAttribute("role", "menuitem");
  button.textContent = label;
  button.disabled = disabled;
  button.tabIndex = -1;
  button.addEventListener("click", run);
  return button;
}

function move(buttons: readonly HTMLButtonElement[], key: string): boolean {
  const able = buttons.filter(({ disabled }) => !disabled);
  const at = able.indexOf(document.activeElement as HTMLButtonElement);
  const next = { ArrowDown: (at + 1) % able.length, ArrowUp: (at - 1 + able.length) % able.length, Home: 0, End: able.length - 1 }[key];
  if (next === undefined) return false;
  able[next]?.focus();
  return true;
}

/** Within the window, whatever is left below. */
function put(menu: HTMLElement, anchor: HTMLElement): void {
  const place = anchor.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(8, Math.min(place.left, window.innerWidth - width - 8))}px`;
  menu.style.top = `${Math.max(8, Math.min(place.bottom + 4, window.innerHeight - height - 8))}px`;
}
