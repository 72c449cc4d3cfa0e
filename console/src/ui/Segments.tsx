/** Segmented control, in theme colours. */

import { SegmentedControl, type SegmentedControlProps } from "@mantine/core";

import styles from "./Segments.module.css";

export function Segments<Value extends string>(props: SegmentedControlProps<Value>) {
  return <SegmentedControl size="xs" withItemsBorders={false} {...props} classNames={styles} />;
}
