// The first generation, `@modelcontextprotocol/sdk`: it knows `initialize` only.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

import { drive, me, refuse, server } from "./drive.mjs";

const transport = new StdioClientTransport(server);
let negotiated;
transport.setProtocolVersion = (version) => {
  negotiated = version;
};
const client = new Client(me);
client.onerror = refuse;
await client.connect(transport);
await drive(client, negotiated);
