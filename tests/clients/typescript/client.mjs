// The second generation, `@modelcontextprotocol/client`: it knows both eras.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { drive, me, protocolVersion, refuse, server } from "./drive.mjs";

// "auto" asks with `server/discover` which era the server speaks.
const mode = protocolVersion === "2026-07-28" ? "auto" : "legacy";
const client = new Client(me, { versionNegotiation: { mode } });
client.onerror = refuse;
await client.connect(new StdioClientTransport(server));
await drive(client, client.getNegotiatedProtocolVersion());
