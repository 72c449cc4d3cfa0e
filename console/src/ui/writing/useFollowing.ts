/** The files of a page get its access level when that has changed. */

import { useEffect, useRef } from "react";

import { follow } from "./attachments";
import type { Visibility } from "./text";

/** `page` is as the server has it; undefined for those who may not change it. */
export function useFollowing(page: { id: string; visibility: Visibility } | undefined): void {
  const before = useRef(page);
  const { id, visibility } = page ?? {};
  useEffect(() => {
    const was = before.current;
    before.current = id && visibility ? { id, visibility } : undefined;
    // What can't be changed now is still as private as it was.
    if (id && visibility && was?.id === id && was.visibility !== visibility) void follow(id, visibility).catch(() => undefined);
  }, [id, visibility]);
}
