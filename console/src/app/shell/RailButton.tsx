/** A button of the rail's full width that opens a menu: the team's above, one's own below. */

import { UnstyledButton, type UnstyledButtonProps } from "@mantine/core";
import type { ComponentPropsWithRef } from "react";

import styles from "./RailButton.module.css";

/** What a menu gives its target is passed on: it opens it, and says whether it is open. */
export function RailButton(props: UnstyledButtonProps & ComponentPropsWithRef<"button">) {
  return <UnstyledButton {...props} className={styles.button} />;
}
