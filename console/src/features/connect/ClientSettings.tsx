/** Settings to paste, one tab per program. */

import { Tabs } from "@mantine/core";

import { t } from "@/i18n";
import { Snippet } from "@/ui/Snippet";

import styles from "./Connect.module.css";
import type { Step } from "./programs";

interface Props {
  label: string;
  programs: readonly { id: string; name: string; steps: Step[] }[];
}

export function ClientSettings({ label, programs }: Props) {
  return (
    <Tabs defaultValue={programs[0]?.id} classNames={{ list: styles.tabs, tab: styles.tab, panel: styles.steps }}>
      <Tabs.List aria-label={label}>
        {programs.map(({ id, name }) => (
          <Tabs.Tab key={id} value={id}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {programs.map(({ id, name, steps }) => (
        <Tabs.Panel key={id} value={id}>
          {steps.map(({ title, text }) => (
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
