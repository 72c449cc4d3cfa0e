/** The capabilities that a sandboxed plugin asks for: granted or not, and how often each was used and refused. */

import { Switch } from "@mantine/core";

import type { Capability, SandboxedPlugin } from "@/api/extensions";
import { number, t } from "@/i18n";
import { useSession } from "@/session";
import { DataTable, type Column } from "@/ui/DataTable";
import { notice, noticeFault } from "@/ui/notice";
import { Tag } from "@/ui/Tag";

import styles from "../Card.module.css";
import { capabilityWords } from "./capabilityWords";
import { toggled } from "./grants";
import { useGrants } from "./useGrants";

export function Capabilities({ plugin }: { plugin: SandboxedPlugin }) {
  if (plugin.capabilities.length === 0) return <p className="muted">{t("sandboxed.capabilities.none")}</p>;
  return (
    <>
      <DataTable
        caption={t("sandboxed.capabilities.named", { name: plugin.name })}
        rows={plugin.capabilities}
        keyOf={(capability) => capability.name}
        columns={columnsFor(plugin)}
      />
      <p className={styles.more}>{t("sandboxed.capabilities.since")}</p>
    </>
  );
}

const columnsFor = (plugin: SandboxedPlugin): Column<Capability>[] => [
  { title: t("sandboxed.column.capability"), cell: (capability) => <Name capability={capability} /> },
  { title: t("sandboxed.column.granted"), cell: (capability) => <Grant plugin={plugin} capability={capability} /> },
  { title: t("sandboxed.column.used"), end: true, cell: ({ used }) => number(used) },
  { title: t("sandboxed.column.refused"), end: true, cell: ({ refused }) => number(refused) },
];

function Name({ capability: { name } }: { capability: Capability }) {
  const words = capabilityWords(name);
  return (
    <span className={styles.capability}>
      <code>{name}</code>
      {words && <span className="muted">{words}</span>}
    </span>
  );
}

function Grant({ plugin, capability }: { plugin: SandboxedPlugin; capability: Capability }) {
  const { operator, can } = useSession();
  const change = useGrants(plugin);
  const { name, granted: isGranted } = capability;
  const state = t(isGranted ? "sandboxed.granted" : "sandboxed.withheld");
  if (!operator || !can("instance:manage")) return <Tag tone={isGranted ? "success" : "plain"}>{state}</Tag>;

  function turn(): void {
    const told = { name: plugin.name, capability: name, state: isGranted ? "off" : "on" };
    change.mutate(toggled(plugin.capabilities, name), { onSuccess: () => notice(t("sandboxed.switched", told)), onError: noticeFault });
  }

  return (
    <span className={styles.grant}>
      <Switch aria-label={t("sandboxed.switch", { capability: name, name: plugin.name })} checked={isGranted} disabled={change.isPending} onChange={turn} />
      <span aria-hidden className="muted">
        {state}
      </span>
    </span>
  );
}
