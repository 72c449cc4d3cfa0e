/** Marks a change that puts a whole table in place, rather than typing it. */

import { Annotation } from "@codemirror/state";

export const placed = Annotation.define<boolean>();
