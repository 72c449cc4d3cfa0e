/** Formulas of the lines that are seen: as in the reading view, one between dollar signs. */

import { syntaxTree } from "@codemirror/language";

import type { Drawing } from "./drawing";
import { Maths } from "./widgets";

const LONGEST_LINE = 2_000;
/** Two signs or one; as in Pandoc, no space inside single ones and no digit after. */
const FORMULA = /(?<![\\$\w])(?:\$\$(?!\s*\$)([^$\n]+)\$\$|\$(?![\s$])([^\n$]*?[^\s\\$])\$(?![\d$]))/g;
const CODE = /Code|URL|HTML|Comment/;

export function drawFormulas(drawing: Drawing): void {
  drawing.eachLine(drawing.from, drawing.to, (line) => {
    if (line.text.length > LONGEST_LINE || !line.text.includes("$")) return;
    for (const found of line.text.matchAll(FORMULA)) {
      const from = line.from + found.index;
      const to = from + found[0].length;
      if (drawing.touched(from, to) || isCode(drawing, from + 1)) continue;
      const isAlone = found[0].startsWith("$$") && found[0].length === line.text.trim().length;
      drawing.replace(from, to, new Maths((found[1] ?? found[2] ?? "").trim(), isAlone));
    }
  });
}

function isCode({ state }: Drawing, at: number): boolean {
  for (let node = syntaxTree(state).resolveInner(at, 1); node.parent; node = node.parent) if (CODE.test(node.name) || node.name === "Table") return true;
  return false;
}
