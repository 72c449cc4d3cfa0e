/** Button that names a version, so that it's found again. */

import { ActionIcon, Button, Group, Popover, TextInput, Tooltip } from "@mantine/core";
import { IconBookmark, IconBookmarkFilled } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
import { Fault } from "@/ui/forms";

import { useNameVersion, type Version } from "./queries";

const LONGEST = 100;

export function NameVersion({ id, version }: { id: string; version: Version }) {
  const [opened, setOpened] = useState(false);
  const label = t(version.name === null ? "versions.name" : "versions.name.change", { version: version.number });
  return (
    <Popover opened={opened} onChange={setOpened} width={260} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Tooltip label={label} openDelay={300}>
          <ActionIcon variant="subtle" color="gray" size={32} aria-label={label} onClick={() => setOpened(!opened)}>
            {version.name === null ? <IconBookmark aria-hidden size={16} /> : <IconBookmarkFilled aria-hidden size={16} />}
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <Form id={id} version={version} onDone={() => setOpened(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Form({ id, version, onDone }: { id: string; version: Version; onDone: () => void }) {
  const [name, setName] = useState(version.name ?? "");
  const naming = useNameVersion(id, version.number);
  const give = (to: string | null): void => naming.mutate(to, { onSuccess: onDone });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        give(name.trim() || null);
      }}
    >
      <TextInput
        label={t("versions.name.field")}
        description={t("versions.name.hint")}
        data-autofocus
        maxLength={LONGEST}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Fault fault={naming.error} />
      <Group mt="sm" gap="xs">
        <Button type="submit" size="compact-md" loading={naming.isPending} disabled={!name.trim() && version.name === null}>
          {t("action.save")}
        </Button>
        {version.name !== null && (
          <Button variant="default" size="compact-md" onClick={() => give(null)}>
            {t("versions.name.remove")}
          </Button>
        )}
      </Group>
    </form>
  );
}
