/** S3 access to the team's files: connection details, keys, and settings to paste. */

import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Page, Section } from "@/ui/Page";
import { Failed, Loading } from "@/ui/states";

import { Address } from "./Address";
import { Keys } from "./Keys";
import { making } from "./making";
import { Making } from "./NewKeyDialog";
import { useCredentials, type Credentials } from "./queries";
import { Settings } from "./Settings";

export default function ConnectScreen() {
  const { me } = useSession();
  const credentials = useCredentials();
  return (
    <Page
      title={t("connect.title")}
      intro={t("connect.intro", { team: me.team.name })}
      actions={
        credentials.data && (
          <Button leftSection={<IconPlus aria-hidden size={16} />} onClick={making.open}>
            {t("connect.new")}
          </Button>
        )
      }
    >
      {credentials.isPending && <Loading />}
      {credentials.isError && <Failed error={credentials.error} again={() => void credentials.refetch()} />}
      {credentials.data && <Connected credentials={credentials.data} />}
    </Page>
  );
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
