/** Settings of MCP and OpenAI clients that can be pasted unchanged. */

import { expect, test } from "vitest";

import { MCP_CLIENTS, OPENAI_CLIENTS, opened } from "./agents";

const SAFE = { origin: "https://team.example", token: "ts_a_1" };
const textOf = (clients: typeof MCP_CLIENTS, name: string, door: { origin: string; token?: string }): string =>
  (clients.find((client) => client.name === name)?.steps(opened(door)) ?? []).map(({ text }) => text).join("\n");

test.each(MCP_CLIENTS.map(({ name }) => name))("%s is told where, and with which token", (name) => {
  expect(textOf(MCP_CLIENTS, name, SAFE)).toContain("https://team.example/mcp");
  expect(textOf(MCP_CLIENTS, name, SAFE)).toContain("Bearer ts_a_1");
  expect(textOf(MCP_CLIENTS, name, { origin: SAFE.origin })).toContain("YOUR_API_TOKEN");
});

test.each(OPENAI_CLIENTS.map(({ name }) => name))("%s is told where the models are", (name) => {
  expect(textOf(OPENAI_CLIENTS, name, SAFE)).toContain("https://team.example/v1");
  expect(textOf(OPENAI_CLIENTS, name, SAFE)).toContain("ts_a_1");
});

test.each(MCP_CLIENTS.map(({ name }) => name).filter((name) => name !== "Claude Code"))("%s gets a file of valid JSON", (name) => {
  expect(() => JSON.parse(textOf(MCP_CLIENTS, name, SAFE)) as unknown).not.toThrow();
});

test("Claude Desktop is told of a connection that is not safe", () => {
  expect(textOf(MCP_CLIENTS, "Claude Desktop", SAFE)).not.toContain("--allow-http");
  expect(textOf(MCP_CLIENTS, "Claude Desktop", { origin: "http://127.0.0.1:8080" })).toContain("--allow-http");
});
