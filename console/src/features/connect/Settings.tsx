/** Settings to paste, one tab per program. */

import { Tabs } from "@mantine/core";

import { t } from "@/i18n";
import { Snippet } from "@/ui/Snippet";

import styles from "./Connect.module.css";
import { filled, PROGRAMS, type Connection } from "./programs";

export function Settings({ connection }: { connection: Connection }) {
  const to = filled(connection);
  return (
    <Tabs defaultValue={PROGRAMS[0]?.id} classNames={{ list: styles.tabs, tab: styles.tab, panel: styles.steps }}>
      <Tabs.List aria-label={t("connect.settings")}>
        {PROGRAMS.map(({ id, name }) => (
          <Tabs.Tab key={id} value={id}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {PROGRAMS.map(({ id, name, steps }) => (
        <Tabs.Panel key={id} value={id}>
          {steps(to).map(({ title, text }) => (
            <div key={title}>
              <h3>{t(title)}</h3>
              <Snippet label={t("connect.step.named", { program: name, step: t(title) })} text={text} />
            </div>
          ))}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
