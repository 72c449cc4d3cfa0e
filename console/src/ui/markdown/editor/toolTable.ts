/** What the bars of the editor offer: one table, for the bar above the text and the one at the selection. */

import { redo, undo } from "@codemirror/commands";
import {
  IconArrowBackUp, IconArrowForwardUp, IconBlockquote, IconBold, IconCode, IconItalic, IconLink, IconList, IconListCheck, IconListNumbers, IconSeparator, IconSourceCode, IconStrikethrough,
  IconTable, type Icon,
} from "@tabler/icons-react";

import type { MessageKey } from "@/i18n";

import { bold, code, codeBlock, italic, link, list, quote, rule, struck, table, type Run } from "./commands";

export interface Tool {
  word: MessageKey;
  icon: Icon;
  run: Run;
  keys?: string;
  /** Whether it is offered at a selection, too. */
  selected?: boolean;
}

export const STEPS = [
  { name: "undo", word: "markdown.undo", icon: IconArrowBackUp, run: undo, keys: "Control+Z Meta+Z" },
  { name: "redo", word: "markdown.redo", icon: IconArrowForwardUp, run: redo, keys: "Control+Y Meta+Shift+Z" },
] as const;

const WORDS: readonly Tool[] = [
  { word: "markdown.bold", icon: IconBold, run: bold, keys: "Control+B Meta+B", selected: true },
  { word: "markdown.italic", icon: IconItalic, run: italic, keys: "Control+I Meta+I", selected: true },
  { word: "markdown.struck", icon: IconStrikethrough, run: struck, keys: "Control+Shift+X Meta+Shift+X", selected: true },
  { word: "markdown.inline_code", icon: IconCode, run: code, keys: "Control+E Meta+E", selected: true },
  { word: "markdown.link", icon: IconLink, run: link, selected: true },
];

const LINES: readonly Tool[] = [
  { word: "markdown.menu.bullet", icon: IconList, run: list("bullet"), keys: "Control+Shift+8 Meta+Shift+8", selected: true },
  { word: "markdown.menu.number", icon: IconListNumbers, run: list("number"), keys: "Control+Shift+7 Meta+Shift+7" },
  { word: "markdown.menu.task", icon: IconListCheck, run: list("task"), keys: "Control+Shift+9 Meta+Shift+9" },
  { word: "markdown.menu.quote", icon: IconBlockquote, run: quote, selected: true },
  { word: "markdown.menu.code", icon: IconSourceCode, run: codeBlock },
  { word: "markdown.menu.table", icon: IconTable, run: table },
  { word: "markdown.menu.rule", icon: IconSeparator, run: rule },
];

export const GROUPS = [WORDS, LINES] as const;
export const SELECTED_GROUPS = GROUPS.map((tools) => tools.filter(({ selected }) => selected));
export const LEVELS = [0, 1, 2, 3] as const;
