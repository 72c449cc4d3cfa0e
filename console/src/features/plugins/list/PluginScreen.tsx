/** A plugin: what it adds, row by row, and why it failed. */

import { Alert, Button } from "@mantine/core";
import { IconAlertTriangle, IconArrowLeft, IconExternalLink } from "@tabler/icons-react";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { usePlugins, type Plugin } from "@/api/extensions";
import { t } from "@/i18n";
import { useSession } from "@/session";
import { Copyable } from "@/ui/Copyable";
import { DataTable } from "@/ui/DataTable";
import { kindWords } from "@/ui/kindWords";
import { Page, Section } from "@/ui/Page";
import { Empty, Failed, Loading } from "@/ui/states";

import { additionsOf } from "./additions";
import styles from "./Plugins.module.css";
import { hasPage } from "./PluginsScreen";
import { StateTag } from "./StateTag";

export default function PluginScreen() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const plugins = usePlugins();
  if (plugins.isPending) return <Loading />;
  if (!plugins.data) return <Failed error={plugins.error} again={() => void plugins.refetch()} />;
  const plugin = plugins.data.find((one) => one.id === id);
  return plugin ? <Details plugin={plugin} /> : <NoSuchPlugin id={id} />;
}

export function NoSuchPlugin({ id }: { id: string }) {
  return (
    <Page title={t("plugins.title")} actions={<AllPlugins />}>
      <Empty title={t("plugins.missing", { id })} icon={IconAlertTriangle}>
        {t("plugins.missing.words")}
      </Empty>
    </Page>
  );
}

function AllPlugins() {
  return (
    <Button variant="default" component={Link} to="/settings/instance/plugins" leftSection={<IconArrowLeft aria-hidden size={15} />}>
      {t("plugins.all")}
    </Button>
  );
}

function Details({ plugin }: { plugin: Plugin }) {
  return (
    <Page
      title={plugin.name}
      intro={plugin.description}
      actions={
        <>
          <AllPlugins />
          {hasPage(plugin) && (
            <Button component={Link} to={`/plugins/${plugin.id}`} leftSection={<IconExternalLink aria-hidden size={15} />}>
              {t("plugins.open")}
            </Button>
          )}
        </>
      }
    >
      <div className={styles.facts}>
        <StateTag plugin={plugin} />
        <Copyable value={plugin.id} label={t("plugins.id")} />
        {plugin.version && <span>{t("plugins.version", { version: plugin.version })}</span>}
      </div>
      {plugin.error !== null && <Reason error={plugin.error} />}
      <Additions plugin={plugin} />
    </Page>
  );
}

/** Operators get the reason from the server, everyone else a general line. */
export function Reason({ error }: { error: string }) {
  const { operator } = useSession();
  return (
    <Alert className={styles.alert} color="danger" icon={<IconAlertTriangle aria-hidden size={18} />} title={t("plugins.failed")}>
      {operator ? <code>{error}</code> : t("plugins.failed.reader")}
      {operator && <p className="muted">{t("plugins.failed.next")}</p>}
    </Alert>
  );
}

function Additions({ plugin }: { plugin: Plugin }) {
  if (additionsOf(plugin).length === 0) return plugin.state === "loaded" ? <Empty title={t("plugins.nothing")} /> : null;
  return (
    <>
      {plugin.tools.length > 0 && (
        <Section title={t("plugins.tools")} intro={<ToolWords />}>
          <Codes label={t("plugins.tools")} codes={plugin.tools} />
        </Section>
      )}
      {plugin.workflows.length > 0 && (
        <Section title={t("plugins.workflows")} intro={t("plugins.workflows.words")}>
          <Codes label={t("plugins.workflows")} codes={plugin.workflows} />
        </Section>
      )}
      {plugin.routes.length > 0 && (
        <Section title={t("plugins.routes")} intro={t("plugins.routes.words")}>
          <Routes plugin={plugin} />
        </Section>
      )}
      {plugin.kinds.length > 0 && (
        <Section title={t("plugins.kinds")} intro={t("plugins.kinds.words")}>
          <Codes label={t("plugins.kinds")} codes={plugin.kinds.map(kindWords)} />
        </Section>
      )}
      {plugin.blob_stores.length > 0 && (
        <Section title={t("plugins.stores")} intro={t("plugins.stores.words")}>
          <Codes label={t("plugins.stores")} codes={plugin.blob_stores} />
        </Section>
      )}
      {plugin.has_bundle && (
        <Section title={t("plugins.bundle")} intro={t("plugins.bundle.words")}>
          <Copyable value={`/api/x/${plugin.id}/bundle/`} label={t("plugins.bundle")} />
        </Section>
      )}
      {plugin.has_onboarding && (
        <Section title={t("plugins.onboarding")} intro={t("plugins.onboarding.words")}>
          <a href="/beta/template" target="_blank" rel="noreferrer">
            {t("plugins.open")}
          </a>
        </Section>
      )}
      {plugin.has_landing && (
        <Section title={t("plugins.landing")} intro={t("plugins.landing.words")}>
          <Copyable value={`/beta/bundle/${plugin.id}/`} label={t("plugins.landing")} />
        </Section>
      )}
    </>
  );
}

function ToolWords(): ReactNode {
  return (
    <>
      {t("plugins.tools.words")} <Link to="/settings/team/tools">{t("plugins.tools.link")}</Link>
    </>
  );
}

function Codes({ label, codes }: { label: string; codes: readonly string[] }) {
  return (
    <ul className={styles.codes} aria-label={label}>
      {codes.map((code) => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ul>
  );
}

function Routes({ plugin }: { plugin: Plugin }) {
  return (
    <DataTable
      caption={t("plugins.routes")}
      rows={plugin.routes}
      keyOf={({ method, path }) => `${method} ${path}`}
      columns={[
        { title: t("plugins.column.path"), cell: ({ path }) => <code>{path}</code> },
        { title: t("plugins.column.method"), cell: ({ method }) => <code>{method}</code> },
      ]}
    />
  );
}
