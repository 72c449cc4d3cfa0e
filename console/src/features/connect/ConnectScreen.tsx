/** How other programs reach the team: its files over S3, its tools over MCP, its models over OpenAI's protocol. */

import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Page, Section } from "@/ui/Page";
import { Segments } from "@/ui/Segments";
import { Failed, Loading } from "@/ui/states";

import { Address } from "./Address";
import { Agents } from "./Agents";
import styles from "./Connect.module.css";
import { Keys } from "./Keys";
import { making } from "./making";
import { Making } from "./NewKeyDialog";
import { useCredentials, type Credentials } from "./queries";
import { Settings } from "./Settings";

const WAYS = ["s3", "mcp", "openai"] as const;
type Way = (typeof WAYS)[number];

export default function ConnectScreen() {
  const { me } = useSession();
  const [way, setWay] = useWay();
  return (
    <Page title={t("connect.title")} intro={t("connect.intro", { team: me.team.name })} actions={way === "s3" && <NewKeyButton />}>
      <Segments
        className={styles.ways}
        aria-label={t("connect.way")}
        size="sm"
        data={WAYS.map((value) => ({ value, label: t(`connect.way.${value}`) }))}
        value={way}
        onChange={setWay}
      />
      {way === "s3" ? <Files /> : <Agents key={way} protocol={way} />}
    </Page>
  );
}

/** In the address, so that it can be shared. */
function useWay(): [Way, (way: Way) => void] {
  const { way } = useSearch({ strict: false }) as { way?: string };
  const go = useNavigate();
  return [WAYS.find((one) => one === way) ?? "s3", (next) => void go({ to: ".", search: { way: next } as never, replace: true })];
}

function NewKeyButton() {
  const credentials = useCredentials();
  if (!credentials.data) return null;
  return (
    <Button leftSection={<IconPlus aria-hidden size={16} />} onClick={making.open}>
      {t("connect.new")}
    </Button>
  );
}

function Files() {
  const credentials = useCredentials();
  if (credentials.isPending) return <Loading />;
  if (!credentials.data) return <Failed error={credentials.error} again={() => void credentials.refetch()} />;
  return <Connected credentials={credentials.data} />;
}

function Connected({ credentials }: { credentials: Credentials }) {
  const { items: keys, ...address } = credentials;
  const [newest] = keys;
  return (
    <>
      <Section title={t("connect.address")} intro={t("connect.address.intro")}>
        <Address at={credentials} />
      </Section>
      <Section title={t("connect.keys")} intro={t("connect.keys.intro")}>
        <Keys keys={keys} />
      </Section>
      <Section title={t("connect.settings")} intro={newest ? t("connect.settings.intro", { name: newest.name }) : t("connect.settings.intro.none")}>
        <Settings connection={{ ...address, access_key_id: newest?.access_key_id }} />
      </Section>
      <Making />
    </>
  );
}
