/** How other programs use the team's tools (MCP) or its models (OpenAI's protocol), with a token. */

import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Copyable } from "@/ui/Copyable";
import { NewToken } from "@/ui/newToken/NewTokenDialog";
import { Section } from "@/ui/Page";

import { MCP_CLIENTS, OPENAI_CLIENTS, opened, type Client } from "./agents";
import { ClientSettings } from "./ClientSettings";
import styles from "./Connect.module.css";
import { makingToken } from "./making";

export type Protocol = "mcp" | "openai";

const CLIENTS: Record<Protocol, readonly Client[]> = { mcp: MCP_CLIENTS, openai: OPENAI_CLIENTS };
const PATHS: Record<Protocol, string> = { mcp: "/mcp", openai: "/v1" };

export function Agents({ protocol }: { protocol: Protocol }) {
  return (
    <>
      <Section title={t("connect.address.one")} intro={t(`connect.${protocol}.intro`)}>
        <dl className={styles.address}>
          <div>
            <dt>{t("connect.url")}</dt>
            <dd>
              <Copyable value={location.origin + PATHS[protocol]} label={t("connect.url")} />
            </dd>
          </div>
        </dl>
      </Section>
      <Section title={t("connect.token")} intro={t("connect.token.intro")}>
        <Token />
      </Section>
      <Section title={t("connect.settings")} intro={t("connect.settings.token")}>
        <Snippets protocol={protocol} />
      </Section>
      <NewToken opening={makingToken} more={(token) => <Snippets protocol={protocol} token={token} />} />
    </>
  );
}

function Token() {
  const { can } = useSession();
  if (!can("settings:manage")) return <p className={styles.words}>{t("connect.token.reader")}</p>;
  return (
    <div className={styles.token}>
      <Button variant="default" onClick={makingToken.open}>
        {t("tokens.new")}
      </Button>
      <Link to="/settings/team/tokens">{t("connect.token.all")}</Link>
    </div>
  );
}

function Snippets({ protocol, token }: { protocol: Protocol; token?: string }) {
  const to = opened({ origin: location.origin, token });
  return <ClientSettings label={t("connect.settings")} programs={CLIENTS[protocol].map(({ steps, ...rest }) => ({ ...rest, steps: steps(to) }))} />;
}
