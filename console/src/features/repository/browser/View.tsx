/** How a folder is shown: as a list or tiles, which follows the account; with or without the tree, in this browser. */

import { ActionIcon, Tooltip } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconLayoutGrid, IconLayoutList, IconListTree, type Icon } from "@tabler/icons-react";

import { t } from "@/i18n";
import { usePrefer, usePreferences } from "@/session/preferences";

import styles from "./Files.module.css";

export type As = "list" | "tiles";

export interface View {
  as: As;
  tree: boolean;
}

export function useView(): [View, (view: View) => void] {
  const { files_as: as } = usePreferences();
  const prefer = usePrefer();
  const [tree, setTree] = useLocalStorage({ key: "teamspace.files-tree", defaultValue: true, getInitialValueInEffect: false });
  const change = (next: View): void => {
    if (next.as !== as) prefer({ files_as: next.as });
    setTree(next.tree);
  };
  return [{ as, tree }, change];
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
