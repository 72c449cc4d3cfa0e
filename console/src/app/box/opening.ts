/** Opens the box from anywhere. Its code is loaded apart, so that the first screen doesn't wait for it. */

import { createOpening } from "@/ui/opening";

export const box = createOpening();

let ahead = "";

/** What is typed before the box is there is its first text. */
export const typeAhead = (key: string): void => void (ahead += key);

export function takeTyped(): string {
  const typed = ahead;
  ahead = "";
  return typed;
}
