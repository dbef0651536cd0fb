"""A server of the Python SDK, for protocol revisions of both kinds: it asks the user, reports progress, and has a resource
and a prompt."""

import sys
from typing import Annotated

import anyio
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from pydantic import BaseModel

server = MCPServer("asking")


class Room(BaseModel):
    name: str


async def which_room() -> Elicit[Room]:
    return Elicit("Which room?", Room)


@server.tool()
async def book(day: str, room: Annotated[Room, Resolve(which_room)]) -> str:
    """Books a room for a day."""
    return f"{room.name} on {day}"


@server.tool()
async def count(context: Context) -> str:
    """Counts to three."""
    for done in (1, 2, 3):
        await context.report_progress(done, 3, f"{done} of 3")
    return "three"


cancelled = 0


@server.tool()
async def wait(context: Context) -> str:
    """Waits until it is cancelled."""
    global cancelled
    await context.report_progress(1)
    try:
        await anyio.sleep_forever()
    finally:
        cancelled += 1


@server.tool()
async def cancellations() -> str:
    """Says how many calls were cancelled."""
    return str(cancelled)


@server.resource("rooms://list")
def rooms() -> str:
    """All rooms."""
    return "blue, red"


@server.prompt()
def tidy(room: str) -> str:
    """Asks to tidy a room."""
    return f"Tidy the {room} room."


if len(sys.argv) > 1:
    server.run("streamable-http", port=int(sys.argv[1]))
server.run("stdio")
