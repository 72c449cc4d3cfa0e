/** Details of an open item: a panel beside it, or on small screens a sheet over it. */

import { ActionIcon, Drawer, Tabs } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import type { KeyboardEvent } from "react";

import { t } from "@/i18n";

import styles from "./Inspector.module.css";
import type { InspectorTab } from "./tabs";
import type { InspectorState } from "./useInspector";

interface Props {
  state: InspectorState;
  tabs: readonly InspectorTab[];
  onClose: () => void;
}

export default function Inspector({ state, tabs, onClose }: Props) {
  const content = <Panels state={state} tabs={tabs} />;
  if (state.isSheet) {
    return (
      <Drawer
        opened
        onClose={onClose}
        title={t("inspector.title")}
        position="bottom"
        size="82%"
        closeButtonProps={{ "aria-label": t("action.close") }}
        transitionProps={{ duration: 120 }}
        classNames={{ content: styles.sheet, header: styles.sheet, title: styles.title }}
      >
        {content}
      </Drawer>
    );
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    // Handled here: the same key would stop editing, or a running answer.
    event.preventDefault();
    event.nativeEvent.stopImmediatePropagation();
    if (!isOfLayer(event)) onClose();
  };
  return (
    // Escape is a shortcut: the panel has a close button.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <aside className={styles.panel} data-wide={state.tab?.wide} aria-label={t("inspector.title")} onKeyDown={onKeyDown}>
      <ActionIcon variant="subtle" color="gray" size={28} className={styles.close} aria-label={t("inspector.close")} onClick={onClose}>
        <IconX aria-hidden size={16} />
      </ActionIcon>
      {content}
    </aside>
  );
}

/** Whether the key has closed a menu, a list or a dialog of the panel, which is what one Escape does. */
function isOfLayer({ currentTarget, target }: KeyboardEvent): boolean {
  return !currentTarget.contains(target as Node) || (target as HTMLElement).dataset.mantineStopPropagation === "true";
}

function Panels({ state, tabs }: Pick<Props, "state" | "tabs">) {
  const { tab } = state;
  if (!tab) return null;
  return (
    <Tabs value={tab.name} onChange={(name) => name && state.choose(name)} keepMounted={false} classNames={{ list: styles.tabs, tab: styles.tab, panel: styles.content }}>
      <Tabs.List aria-label={t("inspector.title")}>
        {tabs.map(({ name, title }) => (
          <Tabs.Tab key={name} value={name}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab.name}>{tab.content()}</Tabs.Panel>
    </Tabs>
  );
}
