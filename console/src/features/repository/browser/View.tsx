/** How a folder is shown, remembered in this browser: as a list or tiles, with or without the tree. */

import { ActionIcon, Tooltip } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconLayoutGrid, IconLayoutList, IconListTree, type Icon } from "@tabler/icons-react";

import { t } from "@/i18n";

import styles from "./Files.module.css";

export type As = "list" | "tiles";

export interface View {
  as: As;
  tree: boolean;
}

const FIRST: View = { as: "list", tree: true };

export function useView(): [View, (view: View) => void] {
  const [view, setView] = useLocalStorage<View>({ key: "teamspace.files-view", defaultValue: FIRST, getInitialValueInEffect: false });
  return [{ as: view?.as === "tiles" ? "tiles" : "list", tree: view?.tree !== false }, setView];
}

const PICTURES: Record<As, Icon> = { list: IconLayoutList, tiles: IconLayoutGrid };

export function ViewSwitch({ view, onChange, mayShowTree }: { view: View; onChange: (view: View) => void; mayShowTree: boolean }) {
  return (
    <div className={styles.view} role="group" aria-label={t("files.view")}>
      {mayShowTree && <Toggle label={t("files.view.tree")} icon={IconListTree} pressed={view.tree} onClick={() => onChange({ ...view, tree: !view.tree })} />}
      {(["list", "tiles"] as const).map((as) => (
        <Toggle key={as} label={t(`files.view.${as}`)} icon={PICTURES[as]} pressed={view.as === as} onClick={() => onChange({ ...view, as })} />
      ))}
    </div>
  );
}

function Toggle({ label, icon: Picture, pressed, onClick }: { label: string; icon: Icon; pressed: boolean; onClick: () => void }) {
  return (
    <Tooltip label={label} openDelay={300}>
      <ActionIcon variant={pressed ? "light" : "subtle"} color={pressed ? undefined : "gray"} size={32} aria-label={label} aria-pressed={pressed} onClick={onClick}>
        <Picture aria-hidden size={18} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
