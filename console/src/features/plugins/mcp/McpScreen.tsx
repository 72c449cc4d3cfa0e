/** The MCP servers whose tools the teams can use: state, what they offer, and why one isn't connected. */

import { IconPlug } from "@tabler/icons-react";

import { useMcpServers, type McpServer } from "@/api/extensions";
import { t } from "@/i18n";
import { useSession } from "@/session";
import { DataTable } from "@/ui/DataTable";
import { Facts, type Fact } from "@/ui/Facts";
import { Page } from "@/ui/Page";
import { Empty, Failed, Loading } from "@/ui/states";
import { Time } from "@/ui/Time";

import { Card } from "../Card";
import { SandboxTag, tierWords } from "../SandboxTag";
import { ToolsLink } from "../ToolsLink";
import { ServerTag } from "./ServerTag";

export default function McpScreen() {
  const { operator } = useSession();
  return (
    <Page title={t("mcp.title")} intro={t(operator ? "mcp.intro" : "mcp.intro.reader")}>
      <Servers />
    </Page>
  );
}

function Servers() {
  const { operator } = useSession();
  const servers = useMcpServers();
  if (servers.isPending) return <Loading />;
  if (!servers.data) return <Failed error={servers.error} again={() => void servers.refetch()} />;
  if (servers.data.length === 0) {
    return (
      <Empty title={t("mcp.none")} icon={IconPlug}>
        {t(operator ? "mcp.none.words" : "mcp.none.reader")}
      </Empty>
    );
  }
  return servers.data.map((server) => <Server key={server.name} server={server} />);
}

function Server({ server }: { server: McpServer }) {
  return (
    <Card title={server.name} tags={<ServerTag state={server.state} />} fault={server.last_error} faultTitle={t("mcp.error")}>
      <Facts facts={factsOf(server)} />
      {server.tools.length > 0 ? <Tools server={server} /> : server.state === "connected" && <p className="muted">{t("mcp.tools.none")}</p>}
    </Card>
  );
}

function factsOf({ transport, protocol, sandbox, connected_at: since }: McpServer): Fact[] {
  return [
    [t("mcp.transport"), t(`mcp.transport.${transport}`)],
    ...(protocol ? [[t("mcp.protocol"), protocol] as const] : []),
    // A server at an address runs on another machine, and there is nothing here to contain.
    ...(transport === "stdio" ? [[t("sandbox.tier"), sandbox ? <SandboxTag key={sandbox} tier={sandbox} /> : tierWords(null)] as const] : []),
    ...(since ? [[t("mcp.since"), <Time key={since} at={since} />] as const] : []),
  ];
}

function Tools({ server }: { server: McpServer }) {
  return (
    <div>
      <DataTable
        caption={t("mcp.tools.named", { name: server.name })}
        rows={server.tools}
        keyOf={(tool) => tool.name}
        columns={[
          { title: t("mcp.column.tool"), cell: (tool) => <code>{tool.name}</code> },
          { title: t("mcp.column.description"), cell: (tool) => tool.description || tool.title },
        ]}
      />
      <ToolsLink source={`mcp:${server.name}`} />
    </div>
  );
}
