// The client of the TypeScript SDK: connects with a token, and prints what it gets as one line of JSON.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, token] = process.argv.slice(2);
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });
const client = new Client({ name: "test", version: "1" });
await client.connect(transport);
const { tools } = await client.listTools();
const counted = await client.callTool({ name: "word_count", arguments: { text: "one two" } });
const refused = await client.callTool({ name: "create_note", arguments: { title: "Made by a client" } });
const resources = [];
for (let cursor; ; ) {
  const page = await client.listResources({ cursor });
  resources.push(...page.resources);
  cursor = page.nextCursor;
  if (!cursor) break;
}
const texts = await Promise.all(resources.map(async ({ uri }) => (await client.readResource({ uri })).contents[0].text));
console.log(JSON.stringify({ server: client.getServerVersion().name, tools: tools.map(({ name }) => name), counted, refused, titles: resources.map(({ name }) => name), texts }));
await client.close();
