/** What stands above the notes: the button for a new one, and the filters. */

import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Segments } from "@/ui/Segments";
import { TextFilter } from "@/ui/TextFilter";
import { useAddressText } from "@/ui/useAddressText";

import { useAddress, useFilters, useRefine, useShown, type Address } from "../filters";
import { FilterMenu } from "./FilterMenu";
import styles from "./ListHead.module.css";

export function NewNote() {
  return (
    <Button
      size="compact-sm"
      leftSection={<IconPlus aria-hidden size={14} />}
      renderRoot={(props) => (
        <Link {...props} to="/notes/$id" params={{ id: "new" }} search={(now: Address) => ({ ...now, edit: undefined })} />
      )}
    >
      {t("notes.new")}
    </Button>
  );
}

export function Filters() {
  const { q } = useAddress();
  const { show } = useFilters();
  const refine = useRefine();
  const [typed, type] = useAddressText(q, (words) => refine({ q: words }));
  return (
    <>
      <Segments
        fullWidth
        aria-label={t("notes.show")}
        value={show}
        onChange={(value) => refine({ show: value === "all" ? undefined : value })}
        data={useShown().map((value) => ({ value, label: t(`notes.show.${value}`) }))}
      />
      <div className={styles.line}>
        <TextFilter label={t("notes.filter.words")} value={typed} onChange={type} />
        <FilterMenu />
      </div>
    </>
  );
}
