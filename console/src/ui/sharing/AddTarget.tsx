/** Adds a share: person or team, permission and expiry. */

import { Button, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconUsersGroup } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { notice } from "@/ui/notice";
import { PersonLine } from "@/ui/PersonLine";

import { EXPIRIES, expiresAt, today, type Expiry } from "./expiry";
import type { Grant, Principal, SharingKind } from "./kinds";
import { LevelSelect } from "./LevelSelect";
import { useTargets, type Sharer, type Target } from "./queries";
import styles from "./Sharing.module.css";

interface Props<Level extends string> {
  kind: SharingKind<Level>;
  grants: readonly Grant<Level>[];
  share: Sharer<Level>;
}

const keyOf = ({ principal_type, principal_id }: Principal): string => `${principal_type} ${principal_id}`;
const labelOf = ({ name, username }: Target): string => (username ? `${name} (${username})` : name);

export function AddTarget<Level extends string>({ kind, grants, share }: Props<Level>) {
  const { me } = useSession();
  const [chosen, setChosen] = useState<Target | null>(null);
  const [typed, setTyped] = useState("");
  const [capability, setCapability] = useState(kind.levels[0] as Level);
  const [expiry, setExpiry] = useState<Expiry>("never");
  const [day, setDay] = useState("");
  const [asked] = useDebouncedValue(chosen && typed === labelOf(chosen) ? "" : typed.trim(), 150);
  const targets = useTargets(asked);
  const taken = new Set(grants.filter(({ expired }) => !expired).map(keyOf));
  const found = targets.data?.filter((target) => !taken.has(keyOf(target)) && target.principal_id !== me.user.id) ?? [];
  const all = chosen && !found.some((target) => keyOf(target) === keyOf(chosen)) ? [chosen, ...found] : found;
  const known = new Map(all.map((target) => [keyOf(target), target]));
  const group = (type: Target["principal_type"]) => ({
    group: t(`sharing.${type}s`),
    items: all.filter(({ principal_type }) => principal_type === type).map((target) => ({ value: keyOf(target), label: labelOf(target) })),
  });

  function add(event: React.FormEvent): void {
    event.preventDefault();
    if (!chosen || (expiry === "date" && !day)) return;
    const { principal_type, principal_id, name } = chosen;
    share.mutate(
      { principal_type, principal_id, capability, expires_at: expiresAt(expiry, day) },
      {
        onSuccess: () => {
          setChosen(null);
          setTyped("");
          notice(t("sharing.shared", { name }));
        },
      },
    );
  }

  return (
    <form className={styles.add} onSubmit={add}>
      <Select
        className={styles.target}
        label={t("sharing.with")}
        placeholder={t("sharing.with.hint")}
        nothingFoundMessage={targets.isError ? targets.error.message : targets.isFetching ? t("state.loading") : t("sharing.nobody")}
        searchable
        clearable
        openOnFocus={false}
        data-autofocus
        // The server filters, over more than what's loaded here.
        filter={({ options }) => options}
        data={[group("user"), group("team")].filter(({ items }) => items.length > 0)}
        value={chosen && keyOf(chosen)}
        onChange={(value) => setChosen(value ? (known.get(value) ?? null) : null)}
        searchValue={typed}
        onSearchChange={setTyped}
        renderOption={({ option }) => <Choice target={known.get(option.value)} label={option.label} />}
      />
      <LevelSelect kind={kind} label={t("sharing.may")} value={capability} onChange={setCapability} />
      <Select
        className={styles.expiry}
        label={t("sharing.until")}
        allowDeselect={false}
        data={EXPIRIES.map((value) => ({ value, label: t(`sharing.expiry.${value}`) }))}
        value={expiry}
        onChange={(value) => value && setExpiry(value as Expiry)}
      />
      {expiry === "date" && (
        <TextInput className={styles.expiry} type="date" required label={t("sharing.day")} min={today()} value={day} onChange={(event) => setDay(event.currentTarget.value)} />
      )}
      <Button type="submit" disabled={!chosen} loading={share.isPending}>
        {t("sharing.share")}
      </Button>
    </form>
  );
}

function Choice({ target, label }: { target?: Target; label: string }) {
  if (target?.principal_type !== "team") return <PersonLine name={target?.name ?? label} second={target?.username} />;
  return (
    <span className={styles.team}>
      <IconUsersGroup aria-hidden size={18} />
      {target.name}
    </span>
  );
}
