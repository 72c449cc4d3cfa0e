/** The panel of a button that was there before its code. */

import { Popover, type PopoverProps } from "@mantine/core";
import type { ReactNode } from "react";

import { Anchor } from "./Anchor";
import { useShown } from "./useShown";
import type { Late } from "./useLate";

interface Props extends Pick<PopoverProps, "width" | "position"> {
  late: Late;
  className?: string;
  children: ReactNode;
}

export function LatePopover({ late: { id, opened, onChange, target }, className, children, ...look }: Props) {
  return (
    // Beside its button: the content, where others are, would cut what hangs over the rail.
    <Popover {...look} id={id} withinPortal={false} opened={useShown(opened)} onChange={onChange} shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Anchor target={target} />
      </Popover.Target>
      <Popover.Dropdown className={className}>{children}</Popover.Dropdown>
    </Popover>
  );
}
