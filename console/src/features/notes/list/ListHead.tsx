/** List header: new note, and filters. */

import { Button } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Segments } from "@/ui/Segments";
import { TextFilter } from "@/ui/TextFilter";

import { useAddress, useFilters, useRefine, useShown, type Address } from "../filters";
import { FilterMenu } from "./FilterMenu";
import styles from "./ListHead.module.css";

export function ListHead({ level }: { level: 1 | 2 }) {
  const { can } = useSession();
  const { show } = useFilters();
  const refine = useRefine();
  const Heading = level === 1 ? "h1" : "h2";
  return (
    <header className={styles.head}>
      <div className={styles.title}>
        <Heading>{t("notes.title")}</Heading>
        {can("notes:write") && <NewNote />}
      </div>
      <Segments
        fullWidth
        aria-label={t("notes.show")}
        value={show}
        onChange={(value) => refine({ show: value === "all" ? undefined : value })}
        data={useShown().map((value) => ({ value, label: t(`notes.show.${value}`) }))}
      />
      <div className={styles.line}>
        <Words />
        <FilterMenu />
      </div>
    </header>
  );
}

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

/** The input updates at once; the address follows after a pause. */
function Words() {
  const { q = "" } = useAddress();
  const refine = useRefine();
  const [typed, setTyped] = useState(q);
  const [told, setTold] = useState(q);
  const tell = useDebouncedCallback((words: string) => {
    setTold(words);
    refine({ q: words || undefined });
  }, 120);
  if (q !== told) {
    // The address changed from outside: by Back, or by a link.
    setTold(q);
    setTyped(q);
  }
  return (
    <TextFilter
      label={t("notes.filter.words")}
      value={typed}
      onChange={(words) => {
        setTyped(words);
        tell(words);
      }}
    />
  );
}
