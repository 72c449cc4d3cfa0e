/** A page that a plugin brings. */

import { Alert, Button } from "@mantine/core";
import { IconAlertTriangle, IconPuzzle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";

import { usePlugins, type Plugin } from "@/api/extensions";
import { request } from "@/api/request";
import { t } from "@/i18n";
import { Page } from "@/ui/Page";
import { Empty, Failed, Loading } from "@/ui/states";

import { NoSuchPlugin, Reason } from "../list/PluginScreen";
import { fileAddress } from "./bridge";
import styles from "./Page.module.css";
import { Slot } from "./Slot";

/** The file that a bundle begins with. */
const ENTRY = "index.js";

export default function PluginPageScreen() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const plugins = usePlugins();
  if (plugins.isPending) return <Loading />;
  if (!plugins.data) return <Failed error={plugins.error} again={() => void plugins.refetch()} />;
  const plugin = plugins.data.find((one) => one.id === id);
  if (!plugin) return <NoSuchPlugin id={id} />;
  return (
    <Page title={plugin.name} intro={plugin.description} actions={<About plugin={plugin} />}>
      <Content key={id} plugin={plugin} />
    </Page>
  );
}

function About({ plugin }: { plugin: Plugin }) {
  return (
    <Button variant="default" component={Link} to={`/settings/instance/plugins/${plugin.id}`} leftSection={<IconPuzzle aria-hidden size={15} />}>
      {t("plugins.about")}
    </Button>
  );
}

function Content({ plugin }: { plugin: Plugin }) {
  if (plugin.error !== null) return <Reason error={plugin.error} />;
  if (!plugin.has_bundle) return <Empty title={t("plugins.page.none")}>{t("plugins.page.none.words")}</Empty>;
  return <Bundle plugin={plugin} />;
}

function Bundle({ plugin }: { plugin: Plugin }) {
  const bundle = useQuery({
    queryKey: ["plugins", plugin.id, "bundle"],
    queryFn: async () => (await request("GET", fileAddress(plugin.id, ENTRY))).text(),
    // What is being typed in the page must not be lost to a fresh copy.
    staleTime: Infinity,
  });
  const [fault, setFault] = useState<string | null>(null);
  const again = (): void => void bundle.refetch().then(() => setFault(null));
  if (bundle.isPending) return <Loading />;
  if (bundle.data === undefined) return <Failed error={bundle.error} again={again} />;
  if (fault !== null) return <Broken fault={fault} again={again} />;
  return <Slot plugin={plugin} code={bundle.data} onFault={setFault} />;
}

function Broken({ fault, again }: { fault: string; again: () => void }) {
  return (
    <Alert className={styles.broken} color="danger" icon={<IconAlertTriangle aria-hidden size={18} />} title={t("plugins.page.broken")}>
      <p>{t("plugins.page.broken.words")}</p>
      <p>
        <code>{fault}</code>
      </p>
      <Button variant="default" size="xs" onClick={again}>
        {t("state.again")}
      </Button>
    </Alert>
  );
}
