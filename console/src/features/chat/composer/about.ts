/** Attaches the entity that the address names, so that other screens can offer to ask about it. */

import { useEffect, useRef } from "react";

import { fetchEntityName } from "@/ui/turns/Reference";

import { useAddress, useRefine } from "../address";
import type { Reference } from "../drafts";

export function useAbout(attach: (reference: Reference) => void): void {
  const { about } = useAddress();
  const refine = useRefine();
  // The newest, since the draft can change until the name is known.
  const latest = useRef({ attach, refine });
  useEffect(() => void (latest.current = { attach, refine }));
  useEffect(() => {
    if (about === undefined) return;
    void fetchEntityName(about)
      .then((title) => latest.current.attach({ type: "entity", id: about, title }))
      // One that can't be read has nothing to say.
      .catch(() => undefined)
      .finally(() => latest.current.refine({ about: undefined }));
  }, [about]);
}
