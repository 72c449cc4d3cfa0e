/** Settings that can be pasted unchanged. */

import { expect, test } from "vitest";

import { filled, PROGRAMS, type Connection } from "./programs";

const PLACE: Connection = { endpoint: "https://team.example", bucket: "team-general", region: "auto" };
const KEY = { access_key_id: "TSAB", secret_access_key: "s3cr3t" };

const textOf = (name: string, connection: Connection): string =>
  (PROGRAMS.find((program) => program.name === name)?.steps(filled(connection)) ?? []).map(({ text }) => text).join("\n");

test.each(PROGRAMS.map(({ name }) => name))("%s is told where, and with which key", (name) => {
  const text = textOf(name, { ...PLACE, ...KEY });
  for (const word of ["team.example", "team-general", "auto", "TSAB", "s3cr3t"]) expect(text).toContain(word);
});

test.each(PROGRAMS.map(({ name }) => name))("%s is told that a secret belongs there when it is not known", (name) => {
  expect(textOf(name, { ...PLACE, access_key_id: "TSAB" })).toContain("YOUR_SECRET_ACCESS_KEY");
  expect(textOf(name, PLACE)).toContain("YOUR_ACCESS_KEY_ID");
});

test("DuckDB takes the endpoint without its scheme, and is told of one that is not safe", () => {
  expect(textOf("DuckDB", PLACE)).toContain("ENDPOINT 'team.example'");
  expect(textOf("DuckDB", PLACE)).not.toContain("USE_SSL");
  expect(textOf("DuckDB", { ...PLACE, endpoint: "http://127.0.0.1:8000" })).toMatch(/ENDPOINT '127.0.0.1:8000',\n {4}USE_SSL false,/);
});
