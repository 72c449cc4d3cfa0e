/** What the form of a new executor holds. */

import type { SettableMode } from "./ModeChoice";
import { EVERYBODY } from "./WhoseChoice";

export interface Values extends Record<string, unknown> {
  mode: SettableMode;
  name: string;
  model: string;
  url: string;
  key: string;
  org_id: string;
}

export const EMPTY: Values = { mode: "pull", name: "", model: "", url: "", key: "", org_id: EVERYBODY };
