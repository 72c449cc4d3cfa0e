/** Settings to paste, for programs that use the team's tools over MCP or its models over OpenAI's protocol. */

import type { Step } from "./programs";

export interface Door {
  /** Of this server: `https://teamspace.example.com`. */
  origin: string;
  /** Known only while the token is shown. */
  token?: string;
}

export interface Client {
  /** Part of an element ID, so it has no spaces. */
  id: string;
  name: string;
  steps: (to: Required<Door>) => Step[];
}

/** Without characters that a shell or a config file would interpret. */
const UNKNOWN = "YOUR_API_TOKEN";

export const opened = ({ origin, token = UNKNOWN }: Door): Required<Door> => ({ origin, token });

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const bearer = ({ token }: Required<Door>) => ({ Authorization: `Bearer ${token}` });
const mcp = ({ origin }: Required<Door>): string => `${origin}/mcp`;

export const MCP_CLIENTS: readonly Client[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    steps: (to) => [
      { title: "connect.step.run", text: `claude mcp add --transport http teamspace ${mcp(to)} --header "Authorization: Bearer ${to.token}"` },
      { title: "connect.step.try", text: "claude mcp list" },
    ],
  },
  {
    id: "claude-desktop",
    name: "Claude Desktop",
    steps: (to) => [{ title: "connect.step.desktop", text: json({ mcpServers: { teamspace: throughStdio(to) } }) }],
  },
  {
    id: "cursor",
    name: "Cursor",
    steps: (to) => [{ title: "connect.step.cursor", text: json({ mcpServers: { teamspace: { url: mcp(to), headers: bearer(to) } } }) }],
  },
  {
    id: "vscode",
    name: "VS Code",
    steps: (to) => [{ title: "connect.step.vscode", text: json({ servers: { teamspace: { type: "http", url: mcp(to), headers: bearer(to) } } }) }],
  },
  {
    id: "zed",
    name: "Zed",
    steps: (to) => [{ title: "connect.step.zed", text: json({ context_servers: { teamspace: { url: mcp(to), headers: bearer(to) } } }) }],
  },
  {
    id: "other",
    name: "JSON",
    steps: (to) => [{ title: "connect.step.json", text: json({ mcpServers: { teamspace: { type: "http", url: mcp(to), headers: bearer(to) } } }) }],
  },
];

/** Claude Desktop starts programs only. Spaces in arguments get lost on some systems, so the header's value is a variable. */
function throughStdio(to: Required<Door>) {
  const plain = to.origin.startsWith("http:") ? ["--allow-http"] : [];
  return {
    command: "npx",
    args: ["-y", "mcp-remote", mcp(to), "--header", "Authorization:${TEAMSPACE_TOKEN}", ...plain],
    env: { TEAMSPACE_TOKEN: `Bearer ${to.token}` },
  };
}

export const OPENAI_CLIENTS: readonly Client[] = [
  {
    id: "environment",
    name: "Any program",
    steps: (to) => [{ title: "connect.step.environment", text: `OPENAI_BASE_URL=${to.origin}/v1\nOPENAI_API_KEY=${to.token}` }],
  },
  {
    id: "python",
    name: "Python",
    steps: (to) => [{ title: "connect.step.python", text: openaiClient(to) }],
  },
  {
    id: "curl",
    name: "curl",
    steps: (to) => [
      { title: "connect.step.models", text: `curl ${to.origin}/v1/models -H "Authorization: Bearer ${to.token}"` },
      { title: "connect.step.try", text: completion(to) },
    ],
  },
];

function openaiClient(to: Required<Door>): string {
  return [
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url="${to.origin}/v1", api_key="${to.token}")`,
    'answer = client.chat.completions.create(model="default", messages=[{"role": "user", "content": "Hello"}])',
    "print(answer.choices[0].message.content)",
  ].join("\n");
}

function completion(to: Required<Door>): string {
  const body = JSON.stringify({ model: "default", messages: [{ role: "user", content: "Hello" }] });
  return `curl ${to.origin}/v1/chat/completions -H "Authorization: Bearer ${to.token}" -H "Content-Type: application/json" -d '${body}'`;
}
