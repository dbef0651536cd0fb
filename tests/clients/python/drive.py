"""The Python client, `mcp`, in both eras: list the tools, make the calls, report.

Arguments: the server's program, the vault, the surface, the protocol version, the calls as JSON.
Prints one JSON object for the test to judge.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters


async def refuse(message):
    """A message that the client cannot make sense of ends the script."""
    if isinstance(message, Exception):
        raise message


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


async def drive(program, vault, surface, version, calls):
    arguments = ["serve", "--vault", vault, "--surface", surface]
    server = StdioServerParameters(command=program, args=arguments)
    # "auto" asks with `server/discover` which era the server speaks.
    mode = "auto" if version == "2026-07-28" else "legacy"
    async with Client(server, mode=mode, message_handler=refuse, read_timeout_seconds=60) as client:
        # From here on the client holds every structured result to the output schema of its tool.
        listing = await client.list_tools()
        results = [
            await client.call_tool(call["name"], call["arguments"]) for call in json.loads(calls)
        ]
        return {
            "protocolVersion": client.protocol_version,
            "server": plain(client.server_info),
            "tools": [plain(tool) for tool in listing.tools],
            "results": [plain(result) for result in results],
        }


print(json.dumps(asyncio.run(drive(*sys.argv[1:]))))
