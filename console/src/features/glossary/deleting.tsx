/** Deletes a term at once, with a button to undo it. */

import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";

import { t } from "@/i18n";
import { notice, noticeFault } from "@/ui/notice";

import styles from "./Glossary.module.css";
import { useTermChanges, type Term } from "./queries";

const LONG_ENOUGH = 12_000;

export function useDelete(): (term: Term) => Promise<void> {
  const { save, remove } = useTermChanges();

  async function restore({ term, target, translation, note, forbidden }: Term, toast: string): Promise<void> {
    notifications.hide(toast);
    await save({ term, target, translation, note, forbidden }).then(() => notice(t("glossary.restored", { term })), noticeFault);
  }

  return async (term) => {
    try {
      await remove(term);
    } catch (fault) {
      noticeFault(fault);
      return;
    }
    const id = notifications.show({
      autoClose: LONG_ENOUGH,
      message: (
        <span className={styles.toast}>
          {t("glossary.deleted", { term: term.term })}
          <Button size="compact-xs" variant="default" onClick={() => void restore(term, id)}>
            {t("action.undo")}
          </Button>
        </span>
      ),
    });
  };
}
