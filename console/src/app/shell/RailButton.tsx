/** A full-width button in the rail that opens a menu: the teams on top, the account at the bottom. */

import { UnstyledButton, type UnstyledButtonProps } from "@mantine/core";
import type { ComponentPropsWithRef } from "react";

import styles from "./RailButton.module.css";

/** Passes on the props that a menu sets on its target. */
export function RailButton(props: UnstyledButtonProps & ComponentPropsWithRef<"button">) {
  return <UnstyledButton {...props} className={styles.button} />;
}
