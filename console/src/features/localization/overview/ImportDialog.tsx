/** Reads catalog files of the server's data folder, and says what changed. */

import { Button, Select } from "@mantine/core";
import { useState } from "react";

import { byName, languageName, number, t } from "@/i18n";
import { DataTable, type Column } from "@/ui/DataTable";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";

import { importFiles, type Imported } from "../api";
import { useKnown } from "../queries";
import styles from "./Languages.module.css";

const ALL = "";

export function ImportDialog({ locales, onClose }: { locales: readonly string[]; onClose: () => void }) {
  const { refetchAll } = useKnown();
  const [done, setDone] = useState<Imported | null>(null);
  const { form, sending, fault, submit } = useSending({ locale: ALL }, async ({ locale }) => {
    setDone(await importFiles(locale || undefined));
    refetchAll();
  });
  const choices = locales.map((locale) => ({ value: locale, label: languageName(locale) })).sort((one, other) => byName(one.label, other.label));
  return (
    <Dialog title={t("localization.import.title")} onClose={onClose} wide={done !== null}>
      {done ? (
        <Result items={done.items} onClose={onClose} />
      ) : (
        <form onSubmit={submit}>
          <p>{t("localization.import.words")}</p>
          <Select
            label={t("localization.import.which")}
            data={[{ value: ALL, label: t("localization.import.all") }, ...choices]}
            allowDeselect={false}
            {...form.getInputProps("locale")}
          />
          <Fault fault={fault} fields={["locale"]} />
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" loading={sending}>
              {t("localization.import")}
            </Button>
          </DialogActions>
        </form>
      )}
    </Dialog>
  );
}

type Item = Imported["items"][number];

function Result({ items, onClose }: { items: Imported["items"]; onClose: () => void }) {
  const columns: Column<Item>[] = [
    { title: t("localization.language"), cell: ({ locale }) => languageName(locale) },
    ...(["added", "changed", "unchanged", "removed"] as const).map((what) => ({
      title: t(`localization.import.${what}`),
      end: true,
      cell: (item: Item) => number(item[what]),
    })),
  ];
  return (
    <div className={styles.result} role="status">
      {items.length > 0 ? <DataTable caption={t("localization.import.done")} columns={columns} rows={items} keyOf={({ locale }) => locale} /> : <p>{t("localization.import.none")}</p>}
      <DialogActions>
        <Button onClick={onClose}>{t("action.close")}</Button>
      </DialogActions>
    </div>
  );
}
