/** Commands that can be pasted unchanged. */

import { expect, test } from "vitest";

import { claimOf, commandOf, tokenFileOf } from "./commands";

test("the file of a token is named after its executor, whatever that is called", () => {
  expect(tokenFileOf("Basement GPU")).toBe("basement-gpu.token");
  expect(tokenFileOf("東京")).toBe("worker.token");
});

test("the worker is told where the server is and where its token", () => {
  expect(commandOf("https://team.example", "a.token")).toBe(
    "teamspace worker --server https://team.example --token-file a.token --url http://127.0.0.1:11434/v1",
  );
});

test("a claim by hand asks for the kinds that the executor takes", () => {
  expect(claimOf("https://team.example", "a.token", ["ai.chat"])).toContain(`-d '{"kinds":["ai.chat"],"max_wait":30}'`);
});
