/** Feature switches, each with a description. */

import { Switch } from "@mantine/core";
import { IconLanguage, IconMessages, IconRobot, IconSitemap, type Icon } from "@tabler/icons-react";

import type { Feature } from "@/api/client";
import { t } from "@/i18n";
import { useTables } from "@/navigation/tables";
import { useSession } from "@/session";
import { notice, noticeFault } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { Failed, Loading } from "@/ui/states";

import styles from "./FeaturesScreen.module.css";
import { isNeeded } from "./needed";
import { useFlags, useSwitch, type Flag } from "./queries";

const PICTURES: Record<Feature, Icon> = {
  chat: IconMessages,
  agent: IconRobot,
  translate: IconLanguage,
  workflows: IconSitemap,
};

export default function FeaturesScreen() {
  const { me } = useSession();
  return (
    <Page title={t("features.title")} intro={t("features.intro", { team: me.team.name })}>
      <Flags />
    </Page>
  );
}

function Flags() {
  const flags = useFlags();
  const tables = useTables();
  if (flags.isPending) return <Loading />;
  if (flags.isLoadingError) return <Failed error={flags.error} again={() => void flags.refetch()} />;
  return (
    <ul className={styles.flags} aria-label={t("features.list")}>
      {flags.data.items.filter(({ name }) => isNeeded(name, tables)).map((flag) => (
        <FlagLine key={flag.name} flag={flag} />
      ))}
    </ul>
  );
}

function FlagLine({ flag }: { flag: Flag }) {
  const change = useSwitch();
  const Picture = PICTURES[flag.name];
  const name = t(`features.${flag.name}`);

  function turn(enabled: boolean): void {
    change.mutate(
      { name: flag.name, enabled },
      {
        onSuccess: () => notice(t("features.switched", { name, state: enabled ? "on" : "off" })),
        onError: noticeFault,
      },
    );
  }

  return (
    <li>
      <Picture aria-hidden size={22} stroke={1.5} className={styles.picture} />
      <Switch
        classNames={{ body: styles.switch, track: styles.track, labelWrapper: styles.words, label: styles.name }}
        labelPosition="left"
        label={name}
        description={t(`features.${flag.name}.words`)}
        checked={flag.enabled}
        onChange={(event) => turn(event.currentTarget.checked)}
      />
      <span className={styles.state} aria-hidden>
        {flag.enabled ? t("features.on") : t("features.off")}
      </span>
    </li>
  );
}
