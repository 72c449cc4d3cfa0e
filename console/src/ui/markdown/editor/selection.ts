/**
 * When and where the bar at a selection is shown: above the selected text, or below it if there is no room above.
 *
 * It waits until the pointer is released, and stays away after Escape until something else is selected. Where people
 * select with a finger, the system shows its own menu there, and the toolbar at the keyboard is at hand.
 */

import { StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, showTooltip, type Rect, type Tooltip } from "@codemirror/view";

interface Now {
  focused: boolean;
  pressed: boolean;
  touch: boolean;
  dismissed: boolean;
}

export interface Place {
  /** The element that the bar is drawn in. */
  dom: HTMLElement;
  onShown: (shown: boolean) => void;
  /** Gives the focus to the toolbar above the text. */
  otherwise: () => void;
}

const became = StateEffect.define<Partial<Now>>();

const now = StateField.define<Now>({
  create: () => ({ focused: false, pressed: false, touch: matchMedia("(pointer: coarse)").matches, dismissed: false }),
  update(value, { effects, selection, startState }) {
    const other = selection && !selection.main.eq(startState.selection.main);
    return effects.reduce((state, effect) => (effect.is(became) ? { ...state, ...effect.value } : state), other ? { ...value, dismissed: false } : value);
  },
});

function isShown(state: EditorState): boolean {
  const { focused, pressed, touch, dismissed } = state.field(now);
  const { from, to, empty } = state.selection.main;
  return focused && !pressed && !touch && !dismissed && !empty && state.sliceDoc(from, Math.min(to, from + 1_000)).trim() !== "";
}

/** Closes the bar; the text has the focus. */
export function dismiss(view: EditorView): void {
  view.dispatch({ effects: became.of({ dismissed: true }) });
  view.focus();
}

/** Closes the bar until the text has the focus again. */
export const leave = (view: EditorView): void => view.dispatch({ effects: became.of({ focused: false }) });

/** Something lost the focus: the bar stays if the text, the bar or one of its menus got it. */
export function followFocus(view: EditorView, bar: Element): void {
  // CodeMirror's own effect of a focus change is lost if something else is dispatched first.
  setTimeout(() => {
    const { activeElement: active } = document;
    view.dispatch({ effects: became.of({ focused: active === view.contentDOM || bar.contains(active) || !!active?.closest("[role=menu]") }) });
  });
}

export function atSelection(place: Place): Extension {
  const create: Tooltip["create"] = (view) => ({
    dom: place.dom,
    getCoords: () => selected(view),
    offset: { x: 0, y: 6 },
    mount: () => place.onShown(true),
    destroy: () => place.onShown(false),
  });
  const into = (view: EditorView): boolean => {
    const first = isShown(view.state) ? place.dom.querySelector<HTMLElement>("button") : null;
    if (first) first.focus();
    else place.otherwise();
    return true;
  };
  const follow = (_: FocusEvent, view: EditorView): void => followFocus(view, place.dom);
  return [
    now,
    // The same function each time, so that the bar moves instead of being drawn anew.
    showTooltip.compute([now, "selection", "doc"], (state) => (isShown(state) ? { pos: state.selection.main.from, above: true, create } : null)),
    EditorView.contentAttributes.of({ "aria-keyshortcuts": "Alt+F10" }),
    EditorView.domEventObservers({ pointerdown: pressing, focus: follow, blur: follow }),
    keymap.of([
      { key: "Alt-F10", run: into },
      { key: "Escape", run: (view) => isShown(view.state) && (dismiss(view), true) },
    ]),
  ];
}

function pressing({ pointerType }: PointerEvent, view: EditorView): void {
  view.dispatch({ effects: became.of({ pressed: true, touch: pointerType !== "mouse" }) });
  const released = (): void => {
    for (const name of ["pointerup", "pointercancel"]) document.removeEventListener(name, released);
    // After the click has selected.
    setTimeout(() => view.dispatch({ effects: became.of({ pressed: false }) }));
  };
  for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, released);
}

const FAR = 1e5;

/** The rectangle of the selection; ends that aren't drawn lie out of sight. */
function selected(view: EditorView): Rect {
  const { from, to } = view.state.selection.main;
  const [first, last] = [view.coordsAtPos(from, 1), view.coordsAtPos(to, -1)];
  const { left, right } = first ?? last ?? { left: 0, right: 0 };
  if (!first && !last) return { left, right, top: -FAR, bottom: -FAR };
  return { left, right, top: first?.top ?? -FAR, bottom: Math.max(first?.bottom ?? 0, last?.bottom ?? FAR) };
}
