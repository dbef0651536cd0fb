"""The Python client, `mcp`, in both eras: list the tools, make the calls, report.

Arguments: what to run, or the URL of a server that runs; the protocol version; the calls. Program and
calls as JSON. Prints one JSON object for the test to judge.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult


async def refuse(message):
    """A message that the client cannot make sense of ends the script."""
    if isinstance(message, Exception):
        raise message


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


def parameters(target):
    if target.startswith("http"):
        return target
    program, *arguments = json.loads(target)
    return StdioServerParameters(command=program, args=arguments)


async def drive(target, version, calls):
    questions = []

    async def agree(_, params):
        """The user, who agrees to everything."""
        questions.append(params.message)
        return ElicitResult(action="accept", content={})

    # "auto" asks with `server/discover` which era the server speaks.
    mode = "auto" if version == "2026-07-28" else "legacy"
    handlers = {"message_handler": refuse, "elicitation_callback": agree}
    async with Client(
        parameters(target), mode=mode, read_timeout_seconds=60, **handlers
    ) as client:
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
            "questions": questions,
        }


print(json.dumps(asyncio.run(drive(*sys.argv[1:]))))
