/** Deletes at once where the trash keeps it, and offers to undo it; where a deletion is final, asks first. */

import { useEffect, useRef, type ReactNode } from "react";

import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { noticeFault } from "@/ui/notice";

import { useTrashDays } from "./queries";
import { useUndo } from "./useUndo";

interface Props {
  id: string;
  /** Deletes it, and leaves its screen. */
  perform: () => Promise<unknown>;
  /** What the toast says then. */
  deleted: string;
  /** The question, its words and its button, where a deletion is final. */
  title: string;
  children: ReactNode;
  confirm: string;
  onClose: () => void;
}

export function Deleting({ id, perform, deleted, title, confirm, children, onClose }: Props) {
  const days = useTrashDays();
  const undo = useUndo();
  const begun = useRef(false);
  const isKept = days > 0;

  async function go(): Promise<void> {
    const from = window.location.pathname;
    await perform();
    undo(deleted, [id], from);
  }

  const start = useRef(() => undefined as void);
  start.current = () => void go().catch(noticeFault).finally(onClose);
  useEffect(() => {
    if (!isKept || begun.current) return;
    begun.current = true;
    start.current();
  }, [isKept]);

  if (isKept) return null;
  return (
    <ConfirmDialog title={title} confirm={confirm} perform={go} onClose={onClose}>
      {children}
    </ConfirmDialog>
  );
}
