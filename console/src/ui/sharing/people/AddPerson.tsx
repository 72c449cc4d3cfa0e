/** Adds a person with a permission. */

import { Button, Select } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";
import { useKnownPeople } from "@/ui/names";
import { PersonLine } from "@/ui/PersonLine";
import styles from "@/ui/sharing/ShareDialog.module.css";

import { PermissionSelect } from "./PermissionSelect";
import type { SharedThing, SharePermission, Sharing, Steps } from "./shares";

interface Props extends Steps {
  thing: SharedThing;
  share: Sharing;
}

export function AddPerson({ thing, share, ...steps }: Props) {
  const people = useKnownPeople();
  const [person, setPerson] = useState<string | null>(null);
  const [permission, setPermission] = useState<SharePermission>("notes:read");
  const taken = new Set([thing.owner, ...thing.shared_with.map((grant) => grant.user_id)]);
  const others = people.data?.filter((member) => !taken.has(member.user_id)) ?? [];
  const known = new Map(others.map((member) => [member.user_id, member]));

  function add(event: React.FormEvent): void {
    event.preventDefault();
    if (person) share.mutate({ user_id: person, permission }, { onSuccess: () => setPerson(null) });
  }

  return (
    <form className={styles.add} onSubmit={add}>
      <Select
        className={styles.target}
        label={t("sharing.person")}
        placeholder={t("sharing.with.hint")}
        nothingFoundMessage={people.isError ? people.error.message : t("sharing.nobody")}
        searchable
        clearable
        openOnFocus={false}
        data-autofocus
        limit={50}
        data={others.map((member) => ({ value: member.user_id, label: `${member.display_name} (${member.username})` }))}
        value={person}
        onChange={setPerson}
        renderOption={({ option }) => (
          <PersonLine name={known.get(option.value)?.display_name ?? option.label} second={known.get(option.value)?.username} />
        )}
      />
      <PermissionSelect {...steps} label={t("sharing.may")} value={permission} onChange={setPermission} />
      <Button type="submit" disabled={!person} loading={share.isPending}>
        {t("sharing.share")}
      </Button>
    </form>
  );
}
