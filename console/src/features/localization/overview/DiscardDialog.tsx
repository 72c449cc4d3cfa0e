/** Removes the machine drafts of a language, after a question. */

import { languageName, t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { notice } from "@/ui/notice";

import { discardDrafts, type LocaleCoverage } from "../api";
import { useKnown } from "../queries";

export function DiscardDialog({ row: { locale, machine }, onClose }: { row: LocaleCoverage; onClose: () => void }) {
  const { refetchAll } = useKnown();
  const language = languageName(locale);
  async function discard(): Promise<void> {
    const { discarded } = await discardDrafts(locale);
    notice(t("localization.discard.done", { count: discarded, language }));
    refetchAll();
  }
  return (
    <ConfirmDialog title={t("localization.discard.title", { language })} confirm={t("localization.discard")} perform={discard} onClose={onClose}>
      <p>{t("localization.discard.words", { count: machine })}</p>
    </ConfirmDialog>
  );
}
