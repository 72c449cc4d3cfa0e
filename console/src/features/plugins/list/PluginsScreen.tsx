/** The plugins of the instance: what each adds, and which couldn't be loaded. */

import { Button } from "@mantine/core";
import { IconPuzzle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { usePlugins, type Plugin } from "@/api/extensions";
import { t } from "@/i18n";
import { useSession } from "@/session";
import { DataTable, type Column } from "@/ui/DataTable";
import { Page } from "@/ui/Page";
import { Empty, Failed, Loading } from "@/ui/states";
import { fits, ListFilter } from "@/ui/TextFilter";

import { additionsOf } from "./additions";
import styles from "./Plugins.module.css";
import { StateTag } from "./StateTag";

export default function PluginsScreen() {
  const { operator } = useSession();
  return (
    <Page title={t("plugins.title")} intro={t(operator ? "plugins.intro" : "plugins.intro.reader")}>
      <Plugins />
    </Page>
  );
}

function Plugins() {
  const plugins = usePlugins();
  const [wanted, setWanted] = useState("");
  if (plugins.isPending) return <Loading />;
  if (!plugins.data) return <Failed error={plugins.error} again={() => void plugins.refetch()} />;
  if (plugins.data.length === 0) return <NoPlugins />;
  const found = plugins.data.filter((plugin) => fits(wanted, plugin.name, plugin.id, plugin.description));
  const failed = found.filter((plugin) => plugin.state === "failed").length;
  return (
    <>
      <ListFilter label={t("plugins.filter")} value={wanted} onChange={setWanted} count={t("plugins.count", { count: found.length, failed })} />
      {found.length > 0 ? (
        <DataTable
          caption={t("plugins.title")}
          columns={columns()}
          rows={found}
          keyOf={(plugin) => plugin.id}
          actions={(plugin) => hasPage(plugin) && <OpenButton plugin={plugin} />}
        />
      ) : (
        <Empty title={t("plugins.none.filtered")} />
      )}
    </>
  );
}

function NoPlugins() {
  const { operator } = useSession();
  return (
    <Empty title={t("plugins.none")} icon={IconPuzzle}>
      {t(operator ? "plugins.none.words" : "plugins.none.reader")}
    </Empty>
  );
}

export const hasPage = ({ state, has_bundle: has }: Plugin): boolean => state === "loaded" && has;

function OpenButton({ plugin }: { plugin: Plugin }) {
  return (
    <Button variant="default" size="xs" component={Link} to={`/plugins/${plugin.id}`} aria-label={t("plugins.open.named", { name: plugin.name })}>
      {t("plugins.open")}
    </Button>
  );
}

const columns = (): Column<Plugin>[] => [
  { title: t("plugins.column.name"), cell: (plugin) => <Name plugin={plugin} /> },
  { title: t("plugins.column.adds"), cell: (plugin) => <Adds plugin={plugin} /> },
  { title: t("plugins.column.version"), cell: ({ version }) => version || <span className="muted">{t("plugins.version.none")}</span> },
  { title: t("plugins.column.state"), cell: (plugin) => <StateTag plugin={plugin} /> },
];

function Name({ plugin }: { plugin: Plugin }) {
  const { operator } = useSession();
  return (
    <span className={styles.name}>
      <Link to={`/settings/instance/plugins/${plugin.id}`}>{plugin.name}</Link>
      <span>{plugin.description}</span>
      {plugin.error !== null && <span className={styles.reason}>{operator ? plugin.error : t("plugins.failed.reader")}</span>}
    </span>
  );
}

function Adds({ plugin }: { plugin: Plugin }) {
  const additions = additionsOf(plugin);
  return additions.length > 0 ? additions.join(", ") : <span className="muted">{t("plugins.adds.nothing")}</span>;
}
