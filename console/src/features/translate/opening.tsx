/** Opens a translation of the history; text that isn't translated yet can be brought back. */

import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useEffect, useEffectEvent, useRef } from "react";

import { t } from "@/i18n";

import styles from "./Translate.module.css";
import { openedCatalog, openedText } from "./outcomes";
import { useHistory, type TranslationRecord } from "./queries";
import type { Work } from "./work";

const LONG_ENOUGH = 12_000;

export function useOpening(id: string | undefined, work: Work): void {
  const history = useHistory();
  const opened = useRef<string | undefined>(undefined);
  const record = history.data?.find((one) => one.id === id);
  const { hasNextPage, isFetching, isSuccess, fetchNextPage } = history;

  const open = useEffectEvent((found: TranslationRecord) => {
    const { draft, text, catalog, change } = work;
    const lost = found.kind === "text" ? draft.text !== text?.asked && draft.text : draft.catalog !== catalog?.asked && draft.catalog;
    const languages = { source: found.source ?? "", target: found.target };
    if (found.kind === "text") {
      const outcome = openedText(found);
      change({ draft: { ...draft, ...languages, text: outcome.asked }, text: outcome });
    } else {
      const outcome = openedCatalog(found) ?? null;
      change({ draft: { ...draft, ...languages, catalog: outcome?.asked ?? "" }, catalog: outcome });
    }
    if (lost) offerBack(() => change({ draft, text, catalog }));
  });

  useEffect(() => {
    if (id === opened.current) return;
    if (id === undefined) opened.current = undefined;
    else if (record) {
      opened.current = id;
      open(record);
    } else if (isSuccess && !isFetching) {
      if (hasNextPage) void fetchNextPage();
      else {
        opened.current = id;
        notifications.show({ color: "warning", message: t("translate.history.gone") });
      }
    }
  }, [id, record, isSuccess, isFetching, hasNextPage, fetchNextPage]);
}

function offerBack(restore: () => void): void {
  const id = notifications.show({
    autoClose: LONG_ENOUGH,
    message: (
      <span className={styles.toast}>
        {t("translate.replaced")}
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => {
            notifications.hide(id);
            restore();
          }}
        >
          {t("action.undo")}
        </Button>
      </span>
    ),
  });
}
