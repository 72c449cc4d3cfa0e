/** What is in the fields, and the translations shown beside them: kept while other screens are open. */

import { useEffect, useState } from "react";

import { useSession } from "@/session";

import { foundDraft, keepDraft, type Draft } from "./draft";
import type { CatalogOutcome, TextOutcome } from "./outcomes";
import type { Languages } from "./queries";

interface State {
  draft: Draft;
  text: TextOutcome | null;
  catalog: CatalogOutcome | null;
}

export interface Work extends State {
  /** Null until a target is chosen. */
  languages: Languages | null;
  change: (part: Partial<State>) => void;
  changeDraft: (part: Partial<Draft>) => void;
}

/** Per person and team. */
const kept = new Map<string, State>();

export function useWork(): Work {
  const { me } = useSession();
  const key = `${me.user.id} ${me.team.id}`;
  const [state, setState] = useState<State>(() => kept.get(key) ?? { draft: foundDraft(me.user.id, localStorage), text: null, catalog: null });
  useEffect(() => {
    kept.set(key, state);
    keepDraft(me.user.id, untranslated(state), localStorage);
  }, [key, me.user.id, state]);
  const { source, target } = state.draft;
  return {
    ...state,
    languages: target ? { source: source || null, target } : null,
    change: (part) => setState((now) => ({ ...now, ...part })),
    changeDraft: (part) => setState((now) => ({ ...now, draft: { ...now.draft, ...part } })),
  };
}

/** The history has what is translated. */
function untranslated({ draft, text, catalog }: State): Draft {
  return { ...draft, text: text?.asked === draft.text ? "" : draft.text, catalog: catalog?.asked === draft.catalog ? "" : draft.catalog };
}
