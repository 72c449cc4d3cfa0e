import type { ReactNode } from "react";

export interface InspectorTab {
  /** In addresses, as `inspect`. */
  name: string;
  title: string;
  /** Its content needs more than the usual width. */
  wide?: boolean;
  /** Drawn while the tab is chosen. */
  content: () => ReactNode;
}
