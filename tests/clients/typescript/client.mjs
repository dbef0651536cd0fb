// The second generation, `@modelcontextprotocol/client`: it knows both eras.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { agree, capabilities, drive, me, protocolVersion, refuse, transport } from "./drive.mjs";

// "auto" asks with `server/discover` which era the server speaks.
const mode = protocolVersion === "2026-07-28" ? "auto" : "legacy";
const client = new Client(me, { capabilities, versionNegotiation: { mode } });
client.setRequestHandler("elicitation/create", agree);
client.onerror = refuse;
await client.connect(transport(StdioClientTransport, StreamableHTTPClientTransport));
await drive(client, client.getNegotiatedProtocolVersion());
