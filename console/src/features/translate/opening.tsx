/** Opens a translation of the history. Text that isn't translated yet can be brought back. */

import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useEffect, useEffectEvent, useRef } from "react";

import { t } from "@/i18n";

import { useGo, type Address } from "./address";
import { openedCatalog, openedText } from "./outcomes";
import { useHistory, type TranslationRecord } from "./queries";
import styles from "./Translate.module.css";
import type { Work } from "./work";

const LONG_ENOUGH = 12_000;

export function useOpening({ open: id, mode = "text" }: Address, work: Work): void {
  const history = useHistory();
  const go = useGo();
  const isChanged = work.draft[mode] !== work[mode]?.asked;
  const opened = useRef<string | undefined>(undefined);
  const record = history.data?.find((one) => one.id === id);
  const { hasNextPage, isFetching, isSuccess, fetchNextPage } = history;

  const open = useEffectEvent((found: TranslationRecord) => {
    const { draft, text, catalog, change } = work;
    const isLost = draft[found.kind] !== work[found.kind]?.asked && draft[found.kind].trim() !== "";
    const languages = { source: found.source ?? "", target: found.target };
    if (found.kind === "text") {
      const outcome = openedText(found);
      change({ draft: { ...draft, ...languages, text: outcome.asked }, text: outcome });
    } else {
      const outcome = openedCatalog(found) ?? null;
      change({ draft: { ...draft, ...languages, catalog: outcome?.asked ?? "" }, catalog: outcome });
    }
    if (isLost) offerBack(() => change({ draft, text, catalog }));
  });

  // What is in the field now isn't in the history.
  const leave = useEffectEvent(() => go({ mode }, true));

  useEffect(() => {
    if (id === opened.current) {
      if (id !== undefined && isChanged) leave();
    } else if (id === undefined) opened.current = undefined;
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
  }, [id, isChanged, record, isSuccess, isFetching, hasNextPage, fetchNextPage]);
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
