/** The menu of a button that was there before its code. */

import { Menu, type MenuProps } from "@mantine/core";
import type { ReactNode } from "react";

import { Anchor } from "./Anchor";
import { useShown } from "./useShown";
import type { Late } from "./useLate";

interface Props extends Pick<MenuProps, "width" | "position"> {
  late: Late;
  /** The items. */
  children: ReactNode;
}

export function LateMenu({ late: { id, opened, onChange, target }, children, ...look }: Props) {
  return (
    // Beside its button: the content, where others are, would cut what hangs over the rail.
    <Menu {...look} id={id} withinPortal={false} opened={useShown(opened)} onChange={onChange}>
      <Menu.Target>
        <Anchor target={target} />
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
