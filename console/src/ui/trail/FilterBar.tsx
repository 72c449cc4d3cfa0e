/** Audit filters: actor, action, object and dates. Collapsed on a phone. */

import { Button, Select, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconAdjustmentsHorizontal, IconX } from "@tabler/icons-react";

import type { Member } from "@/api/people";
import { t } from "@/i18n";

import { ActionSelect } from "./ActionSelect";
import { countOf, NONE, type Filters } from "./filters";
import { ACTOR_KINDS } from "./sentences";
import { TargetInput } from "./TargetInput";
import styles from "./Trail.module.css";

interface Props {
  filters: Filters;
  onChange: (change: Filters) => void;
  people: readonly Member[];
  /** Actions seen so far. */
  seen: readonly string[];
}

export function FilterBar({ filters, onChange, people, seen }: Props) {
  const [opened, { toggle }] = useDisclosure(false);
  const set = countOf(filters);
  return (
    <div className={styles.filtering} role="search" aria-label={t("audit.filters")}>
      <Button
        className={styles.reveal}
        variant="default"
        leftSection={<IconAdjustmentsHorizontal aria-hidden size={16} />}
        aria-expanded={opened}
        onClick={toggle}
      >
        {t("audit.filter.show")} {set > 0 && `(${set})`}
      </Button>
      <div className={styles.filters} data-opened={opened || undefined}>
        <PersonSelect value={filters.actor} people={people} onChange={(actor) => onChange({ actor })} />
        <ActionSelect value={filters.action} seen={seen} onChange={(action) => onChange({ action })} />
        <TargetInput value={filters.target} onChange={(target) => onChange({ target })} />
        <Day label={t("audit.filter.since")} value={filters.since} onChange={(since) => onChange({ since })} />
        <Day label={t("audit.filter.until")} value={filters.until} onChange={(until) => onChange({ until })} />
      </div>
      {set > 0 && (
        <Button variant="subtle" size="xs" leftSection={<IconX aria-hidden size={14} />} onClick={() => onChange(NONE)}>
          {t("audit.filter.clear")}
        </Button>
      )}
    </div>
  );
}

interface Part {
  value?: string;
  onChange: (value: string | undefined) => void;
}

function PersonSelect({ value, people, onChange }: Part & { people: readonly Member[] }) {
  const known = people.map((person) => ({ value: person.user_id, label: `${person.display_name} (${person.username})` }));
  const others = ACTOR_KINDS.map((kind) => ({ value: kind, label: t(`audit.kind.${kind}`) }));
  const stranger = value && ![...known, ...others].some((option) => option.value === value);
  return (
    <Select
      label={t("audit.filter.person")}
      placeholder={t("audit.filter.person.any")}
      searchable
      selectFirstOptionOnChange
      withScrollArea={false}
      classNames={{ options: styles.options }}
      clearable
      data={[
        { group: t("audit.filter.person.people"), items: stranger ? [...known, { value, label: value }] : known },
        { group: t("audit.filter.person.others"), items: others },
      ]}
      value={value ?? null}
      onChange={(actor) => onChange(actor ?? undefined)}
    />
  );
}

function Day({ label, value, onChange }: Part & { label: string }) {
  return <TextInput type="date" label={label} value={value ?? ""} onChange={(event) => onChange(event.currentTarget.value)} />;
}
