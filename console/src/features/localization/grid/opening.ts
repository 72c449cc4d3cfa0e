/** What an open row knows, and what can be done in it. */

import type { Message } from "../api";
import type { Unsent } from "../unsent";

export interface OpenRowProps {
  message: Message;
  source: string;
  unsent?: Unsent;
  fault: unknown;
  sending: boolean;
  mayTranslate: boolean;
  onType: (text: string) => void;
  onRevert: () => void;
  /** `force` also sends what hasn't changed. */
  onSave: (text: string, force: boolean) => void;
  onApprove: () => void;
  onMove: (by: number) => void;
  onClose: () => void;
}
