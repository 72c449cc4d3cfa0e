/** Drafts and exports: what was begun or written is said in a notice. */

import { useState } from "react";

import { languageName, t } from "@/i18n";
import { notice, noticeFault } from "@/ui/notice";

import { draftMissing, exportLocale, type Drafting } from "../api";
import { useKnown } from "../queries";

interface Work {
  busy: boolean;
  start: (locale: string) => Promise<void>;
}

function useWork(work: (locale: string) => Promise<string>): Work {
  const { refetchAll } = useKnown();
  const [busy, setBusy] = useState(false);
  async function start(locale: string): Promise<void> {
    setBusy(true);
    try {
      notice(await work(locale));
    } catch (fault) {
      noticeFault(fault);
    }
    setBusy(false);
    refetchAll();
  }
  return { busy, start };
}

export const draftingWords = (locale: string, { queued, remaining }: Drafting): string =>
  t(remaining > 0 ? "localization.draft.some" : "localization.draft.all", { language: languageName(locale), queued, remaining });

export const useDrafting = (): Work => useWork(async (locale) => draftingWords(locale, await draftMissing(locale)));

export const useExport = (): Work =>
  useWork(async (locale) => {
    const { messages } = await exportLocale(locale);
    return t("localization.export.done", { language: languageName(locale), count: messages });
  });
