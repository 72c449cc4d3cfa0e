/** Markdown on screens that often have none: its code is loaded with the first text, which is shown as written until then. */

import { Suspense, type ComponentProps } from "react";

import { lazily } from "@/ui/lazily";

import styles from "./LateMarkdown.module.css";
import type { Markdown as Shown } from "./Markdown";

type Props = ComponentProps<typeof Shown>;

const Markdown = lazily<Props>(() => import("./Markdown").then((module) => ({ default: module.Markdown })));

export function LateMarkdown(props: Props) {
  return (
    <Suspense fallback={<div className={styles.raw}>{props.text}</div>}>
      <Markdown {...props} />
    </Suspense>
  );
}
