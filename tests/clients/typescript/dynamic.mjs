// The project's client for JavaScript, over `GET /tools` (an address) or over the official SDK (a command as JSON). Prints what
// it finds.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

import { DynamicToolClient, extractContextFromMessage } from "../../../server/engine/client/js/index.js";

const [target] = process.argv.slice(2);
let source = target;
let mcp;
if (!target.startsWith("http")) {
  const [command, ...args] = JSON.parse(target);
  mcp = new Client({ name: "dynamic", version: "1" });
  await mcp.connect(new StdioClientTransport({ command, args, env: process.env }));
  source = mcp;
}
const client = new DynamicToolClient(source);
const message = "please rename the note Inbox.md";
const [tools, again] = await Promise.all([1, 2].map(() => client.getToolsFromMessage(message)));
const refused = await client.getTools({ category: "nothing" }).then(
  () => null,
  (error) => error.message,
);
const report = {
  tools,
  same: JSON.stringify(tools) === JSON.stringify(again),
  contexts: await extractContextFromMessage(message, client),
  named: (await client.getTools({ context: "tidying" })).map((tool) => tool.name),
  ranked: (await client.getTools({ category: "vault", query: "rename a note" })).map((tool) => tool.name),
  nothing: await client.getToolsFromMessage("What a lovely sunset"),
  without: await client.getTools(),
  refused,
  usage: client.usage,
};
if (mcp !== undefined) {
  const [{ name, call }] = await client.getTools({ query: "read a note" });
  const result = await mcp.callTool({ name: call, arguments: { tool: name, args: { path: "Inbox.md" } } });
  report.called = result.content[0].text;
  await mcp.close();
}
console.log(JSON.stringify(report));
