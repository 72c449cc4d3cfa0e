/** Plugins that run in processes of their own: state, limits, and the capabilities that operators grant them. */

import { Button } from "@mantine/core";
import { IconShieldLock } from "@tabler/icons-react";

import { useSandboxedPlugins, type SandboxedPlugin } from "@/api/extensions";
import { number, t } from "@/i18n";
import { useSession } from "@/session";
import { Facts, type Fact } from "@/ui/Facts";
import { notice, noticeFault } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { Empty, Failed, Loading } from "@/ui/states";
import { Time } from "@/ui/Time";

import { Card } from "../Card";
import styles from "../Card.module.css";
import { SandboxTag, tierWords } from "../SandboxTag";
import { ToolsLink } from "../ToolsLink";
import { Capabilities } from "./Capabilities";
import { ProcessTag } from "./ProcessTag";
import { useGrants } from "./useGrants";

export default function SandboxedScreen() {
  const { operator } = useSession();
  return (
    <Page title={t("sandboxed.title")} intro={t(operator ? "sandboxed.intro" : "sandboxed.intro.reader")}>
      <Plugins />
    </Page>
  );
}

function Plugins() {
  const { operator } = useSession();
  const plugins = useSandboxedPlugins();
  if (plugins.isPending) return <Loading />;
  if (!plugins.data) return <Failed error={plugins.error} again={() => void plugins.refetch()} />;
  if (plugins.data.length === 0) {
    return (
      <Empty title={t("sandboxed.none")} icon={IconShieldLock}>
        {t(operator ? "sandboxed.none.words" : "sandboxed.none.reader")}
      </Empty>
    );
  }
  return plugins.data.map((plugin) => <Sandboxed key={plugin.id} plugin={plugin} />);
}

function Sandboxed({ plugin }: { plugin: SandboxedPlugin }) {
  return (
    <Card
      title={plugin.name}
      below={plugin.description}
      tags={<ProcessTag state={plugin.state} />}
      fault={plugin.last_error}
      faultTitle={t("sandboxed.error")}
    >
      {plugin.state !== "running" && <p>{t(`sandboxed.state.${plugin.state}.words`)}</p>}
      {plugin.state === "disabled" && <StartAgain plugin={plugin} />}
      <Facts facts={factsOf(plugin)} />
      <div>
        <h3>{t("sandboxed.capabilities")}</h3>
        <Capabilities plugin={plugin} />
      </div>
      {plugin.tools.length > 0 && <Tools plugin={plugin} />}
    </Card>
  );
}

function StartAgain({ plugin }: { plugin: SandboxedPlugin }) {
  const { operator } = useSession();
  const change = useGrants(plugin);
  if (!operator) return null;
  const start = (): void => {
    const same = plugin.capabilities.filter((capability) => capability.granted).map((capability) => capability.name);
    change.mutate(same, { onSuccess: () => notice(t("sandboxed.again.done", { name: plugin.name })), onError: noticeFault });
  };
  return (
    <div>
      <Button variant="default" size="xs" loading={change.isPending} aria-label={t("sandboxed.again.named", { name: plugin.name })} onClick={start}>
        {t("sandboxed.again")}
      </Button>
    </div>
  );
}

function factsOf({ id, version, sandbox, restarts, started_at: since }: SandboxedPlugin): Fact[] {
  return [
    [t("plugins.id"), <code key="id">{id}</code>],
    [t("plugins.column.version"), version],
    [t("sandbox.tier"), sandbox ? <SandboxTag key={sandbox} tier={sandbox} /> : tierWords(null)],
    [t("sandboxed.restarts"), number(restarts)],
    ...(since ? [[t("sandboxed.since"), <Time key={since} at={since} />] as const] : []),
  ];
}

function Tools({ plugin }: { plugin: SandboxedPlugin }) {
  return (
    <div>
      <h3>{t("plugins.tools")}</h3>
      <ul className={styles.tools} aria-label={t("sandboxed.tools.named", { name: plugin.name })}>
        {plugin.tools.map((tool) => (
          <li key={tool}>
            <code>{tool}</code>
          </li>
        ))}
      </ul>
      <ToolsLink source={`oop:${plugin.id}`} />
    </div>
  );
}
