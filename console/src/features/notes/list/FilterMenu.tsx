/** More filters: access level and tag. The button shows how many are active. */

import { ActionIcon, Autocomplete, Button, Indicator, Popover, Select } from "@mantine/core";
import { IconAdjustmentsHorizontal } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
import { LONGEST_TAG } from "@/ui/tags/Tags";
import { VISIBILITIES } from "@/ui/visibility/VisibilityWord";
import type { Visibility } from "@/ui/writing/text";

import { useFilters, useRefine } from "../filters";
import { useKnownTags } from "../knownTags";
import styles from "./FilterMenu.module.css";

export function FilterMenu() {
  const { visibility, tag } = useFilters();
  const [opened, setOpened] = useState(false);
  const count = Number(visibility !== undefined) + Number(tag !== undefined);
  const label = t("notes.filter.more", { count });
  return (
    <Popover opened={opened} onChange={setOpened} width={260} position="bottom-end" trapFocus returnFocus>
      <Indicator disabled={count === 0} label={count} size={16} offset={3}>
        <Popover.Target>
          <ActionIcon variant="default" size={36} aria-label={label} title={label} onClick={() => setOpened(!opened)}>
            <IconAdjustmentsHorizontal aria-hidden size={16} />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown aria-label={label}>
        <Choices close={() => setOpened(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Choices({ close }: { close: () => void }) {
  const { visibility, tag } = useFilters();
  const refine = useRefine();
  const [wanted, setWanted] = useState(tag ?? "");
  const choose = (value: string): void => refine({ tag: value.trim() || undefined });
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        choose(wanted);
        close();
      }}
    >
      <Select
        label={t("visibility.title")}
        placeholder={t("visibility.any")}
        clearable
        data={VISIBILITIES.map((value) => ({ value, label: t(`visibility.${value}`) }))}
        value={visibility ?? null}
        onChange={(value) => refine({ visibility: (value as Visibility | null) ?? undefined })}
        comboboxProps={{ withinPortal: false }}
      />
      <Autocomplete
        label={t("notes.filter.tag")}
        description={t("notes.filter.tag.hint")}
        data={useKnownTags()}
        maxLength={LONGEST_TAG}
        clearable
        value={wanted}
        onChange={setWanted}
        onOptionSubmit={choose}
        onBlur={() => choose(wanted)}
        onKeyDown={(event) => event.key === "Enter" && choose(wanted)}
        onClear={() => choose("")}
        comboboxProps={{ withinPortal: false }}
      />
      <Button
        variant="default"
        size="compact-md"
        disabled={!visibility && !tag}
        onClick={() => {
          setWanted("");
          refine({ visibility: undefined, tag: undefined });
        }}
      >
        {t("notes.filter.none")}
      </Button>
    </form>
  );
}
