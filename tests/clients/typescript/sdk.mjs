// The first generation, `@modelcontextprotocol/sdk`: it knows `initialize` only.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

import { agree, capabilities, drive, me, refuse, transport } from "./drive.mjs";

const way = transport(StdioClientTransport, StreamableHTTPClientTransport);
let negotiated;
const setProtocolVersion = way.setProtocolVersion?.bind(way);
way.setProtocolVersion = (version) => {
  negotiated = version;
  setProtocolVersion?.(version);
};
const client = new Client(me, { capabilities });
client.setRequestHandler(ElicitRequestSchema, agree);
client.onerror = refuse;
await client.connect(way);
await drive(client, negotiated);
