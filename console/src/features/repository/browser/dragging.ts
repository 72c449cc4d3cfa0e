/** Dragging entries onto a folder moves them there; files from elsewhere, which `DropArea` uploads, only mark it. */

import { useState, type DragEvent } from "react";

import { useMaybeEntryActions } from "../actions";
import { intoItself, parentOf } from "../transfer/plan";
import type { Entry } from "./entries";

const TYPE = "application/x-teamspace-files";
/** A drop's data can't be read before it's dropped, and this tab has it anyway. */
let dragged: readonly Entry[] = [];

export function startDrag(event: DragEvent, entries: readonly Entry[]): void {
  dragged = entries;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData(TYPE, entries.map(({ key }) => key).join("\n"));
}

export function endDrag(): void {
  dragged = [];
}

const fit = (folder: string): boolean =>
  dragged.length > 0 && dragged.every((entry) => parentOf(entry) !== folder && !(entry.isFolder && intoItself(entry.key, folder)));

const UPLOAD = "Files";

/** Handlers of an element that stands for a folder, and whether something that it takes is over it. */
export function useDropTarget(folder: string) {
  const actions = useMaybeEntryActions();
  const [over, setOver] = useState<string>();
  if (!actions?.may("move")) return { isOver: false, handlers: {} };
  const takes = (event: DragEvent): boolean => event.dataTransfer.types.includes(TYPE) && fit(folder);
  return {
    isOver: over === folder,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (event.dataTransfer.types.includes(UPLOAD)) setOver(folder);
        if (!takes(event)) return;
        event.preventDefault();
        event.stopPropagation();
        event.dataTransfer.dropEffect = "move";
        setOver(folder);
      },
      onDragLeave: () => setOver(undefined),
      onDrop: (event: DragEvent) => {
        setOver(undefined);
        if (!takes(event)) return;
        event.preventDefault();
        event.stopPropagation();
        actions.put(dragged, folder);
      },
    },
  };
}
