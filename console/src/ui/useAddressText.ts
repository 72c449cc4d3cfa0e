/** A text that is typed and kept in the address: the input updates at once, the address follows after a pause. */

import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";

const PAUSE = 120;

export function useAddressText(value = "", change: (value: string | undefined) => void, pause = PAUSE): [string, (typed: string) => void] {
  const [typed, setTyped] = useState(value);
  const [told, setTold] = useState(value);
  const tell = useDebouncedCallback((words: string) => {
    setTold(words.trim());
    change(words.trim() || undefined);
  }, pause);
  if (value !== told) {
    // The address changed from outside: by Back, or by a link.
    setTold(value);
    setTyped(value);
  }
  const type = (words: string): void => {
    setTyped(words);
    tell(words);
  };
  return [typed, type];
}
