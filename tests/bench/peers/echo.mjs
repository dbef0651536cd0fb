// The lab's echo on the TypeScript SDK: on standard streams, or with a port as its argument over
// HTTP, as the SDK's documentation shows it without sessions.

import { createServer } from "node:http";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

function echo() {
  const server = new McpServer({ name: "peer", version: "1" });
  const shape = { text: z.string() };
  const options = { description: "Say it again.", inputSchema: shape, outputSchema: shape };
  server.registerTool("lab_echo", options, async ({ text }) => {
    const value = { text };
    return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
  });
  return server;
}

const port = process.argv[2];
if (port === undefined) {
  await echo().connect(new StdioServerTransport());
} else {
  const answer = async (request, response) => {
    const server = echo();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    });
    response.on("close", () => server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
  };
  createServer(answer).listen(Number(port), "127.0.0.1");
}
