"""The Python client, `mcp`, over HTTP, while a file of the served manifest is edited.

Arguments: the URL of the server, the protocol version, the file, and its new text. Prints the names of the tools before
the edit, and after the client was told that they have changed.
"""

import asyncio
import json
import os
import sys

from mcp import Client

PATIENCE = 60
# The stream of a session is opened in the background, and what was said before is not repeated.
ATTEMPTS = 12


def edit(file, text):
    """Replaces the file, as editors do."""
    with open(file + ".next", "w", encoding="utf-8") as next_file:
        next_file.write(text)
    os.replace(file + ".next", file)


async def names(client):
    return [tool.name for tool in (await client.list_tools()).tools]


async def in_session(url, file, text):
    changed = asyncio.Event()

    async def hear(message):
        if isinstance(message, Exception):
            raise message
        if getattr(message, "method", None) == "notifications/tools/list_changed":
            changed.set()

    async with Client(
        url, mode="legacy", message_handler=hear, read_timeout_seconds=PATIENCE
    ) as client:
        before = await names(client)
        for attempt in range(ATTEMPTS):
            # Each attempt is another text, which the server has to load.
            edit(file, text + "\n" * attempt)
            try:
                await asyncio.wait_for(changed.wait(), PATIENCE / ATTEMPTS)
                break
            except TimeoutError:
                continue
        return {"told": changed.is_set(), "before": before, "after": await names(client)}


async def listening(url, file, text):
    async with Client(url, mode="auto", read_timeout_seconds=PATIENCE) as client:
        before = await names(client)
        async with client.listen(tools_list_changed=True) as subscription:
            edit(file, text)
            await asyncio.wait_for(anext(aiter(subscription)), PATIENCE)
            return {"told": True, "before": before, "after": await names(client)}


url, version, *edited = sys.argv[1:]
drive = listening if version == "2026-07-28" else in_session
print(json.dumps(asyncio.run(drive(url, *edited))))
