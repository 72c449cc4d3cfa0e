import { Linter } from "eslint";
import { join } from "node:path";
import { expect, test } from "vitest";

import layers from "./layers.js";

const config = [{ files: ["**/*.ts"], plugins: { teamspace: { rules: { layers } } }, rules: { "teamspace/layers": "error" } }];

function faultsOf(file, code) {
  const found = new Linter({ configType: "flat", cwd: import.meta.dirname }).verify(code, config, join(import.meta.dirname, "src", file));
  return found.map(({ messageId }) => messageId);
}

test("imports go down, and features leave each other alone", () => {
  expect(faultsOf("features/notes/list/rows.ts", 'import "@/ui/Tag"; import "../queries"; import "react"; import("./Row");')).toEqual([]);
  expect(faultsOf("features/notes/list/rows.ts", 'import "@/app/screens"; import "../../jobs/queries";')).toEqual(["upward", "sideways"]);
  expect(faultsOf("ui/Tag.ts", 'export * from "../features/notes/text"; import("@/navigation/tables");')).toEqual(["upward", "upward"]);
  expect(faultsOf("main.ts", 'import "./app/router";')).toEqual([]);
});
