/** The draft on screen: what is typed stays until it is saved, whatever the server answers. */

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { Refusal } from "@/api/client";
import { reportedText } from "@/i18n";

import { fetchExperience, publishDraft, saveDraft, type Experience } from "../api";
import { EXPERIENCE } from "../keys";
import { documentOf, editedOf, isSame, type Edited } from "./document";

export interface Editing {
  edited: Edited;
  change: (turn: (before: Edited) => Edited) => void;
  isChanged: boolean;
  isSaving: boolean;
  fault: unknown;
  /** What someone else saved meanwhile. */
  theirs: Experience | null;
  /** What the server says about the part at a pointer. */
  errorAt: (pointer: string) => string | undefined;
  save: () => Promise<boolean>;
  /** Saves over what someone else saved. */
  saveOver: () => Promise<boolean>;
  takeTheirs: () => void;
  publish: () => Promise<void>;
  discard: () => void;
}

export function useEditing(experience: Experience): Editing {
  const client = useQueryClient();
  const [saved, setSaved] = useState(experience);
  const [edited, setEdited] = useState(() => editedOf(experience));
  const [isSaving, setSaving] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const [theirs, setTheirs] = useState<Experience | null>(null);

  function know(found: Experience): void {
    client.setQueryData(EXPERIENCE, found);
    setSaved(found);
    setTheirs(null);
    setFault(null);
  }

  async function send(version: number | null): Promise<boolean> {
    setSaving(true);
    setFault(null);
    const sent = edited;
    try {
      const found = await saveDraft(documentOf(sent), version);
      know(found);
      // The server may write it differently; what was typed since stays.
      setEdited((now) => (now === sent ? editedOf(found) : now));
      return true;
    } catch (refusal) {
      if (refusal instanceof Refusal && refusal.status === 412) setTheirs(await fetchExperience().catch(() => null));
      setFault(refusal);
      return false;
    } finally {
      setSaving(false);
    }
  }

  return {
    edited,
    change: setEdited,
    isChanged: !isSame(edited, editedOf(saved)),
    isSaving,
    fault: theirs ? null : fault,
    theirs,
    errorAt: (pointer) => {
      const found = fault instanceof Refusal ? fault.problem.errors?.find((error) => error.pointer === pointer) : undefined;
      return found && (reportedText(found) ?? found.message);
    },
    save: () => send(saved.draft_version),
    saveOver: () => send(theirs ? theirs.draft_version : saved.draft_version),
    takeTheirs: () => {
      if (!theirs) return;
      setEdited(editedOf(theirs));
      know(theirs);
    },
    publish: async () => {
      if (saved.draft_version === null) return;
      know(await publishDraft(saved.draft_version));
    },
    discard: () => {
      setEdited(editedOf(saved));
      setFault(null);
    },
  };
}
