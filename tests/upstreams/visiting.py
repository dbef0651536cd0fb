"""The client of the Python SDK on a gateway with the servers `asking` and `everything`.

Arguments: the command as JSON, and how it connects: `legacy` or `auto`. Prints one JSON object for the test to judge.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult, PromptReference

# How often a list is asked for until the servers have listed what they offer.
ATTEMPTS = 200


async def prompts(client):
    for _ in range(ATTEMPTS):
        listed = (await client.list_prompts(cache_mode="refresh")).prompts
        names = [prompt.name for prompt in listed]
        if {"asking_tidy", "everything_completable-prompt"} <= set(names):
            return names
        await asyncio.sleep(0.05)
    raise TimeoutError("the prompts are not listed")


async def visit(command, mode):
    questions, reports = [], []

    async def answer(_, params):
        questions.append(params.message)
        return ElicitResult(action="accept", content={"name": "blue"})

    async def report(done, total, message):
        reports.append(done)

    program, *arguments = json.loads(command)
    parameters = StdioServerParameters(command=program, args=arguments)
    async with Client(parameters, mode=mode, elicitation_callback=answer) as client:
        booked = await client.call_tool("asking_book", {"day": "Monday"})
        asked = await client.call_tool("everything_trigger-elicitation-request", {})
        await client.call_tool("asking_count", {}, progress_callback=report)
        names = await prompts(client)
        tidy = await client.get_prompt("asking_tidy", {"room": "red"})
        reference = PromptReference(name="everything_completable-prompt")
        completed = await client.complete(reference, {"name": "department", "value": "E"})
        rooms = await client.read_resource("rooms://list")
        return {
            "booked": booked.structured_content,
            "asked": [block.text for block in asked.content],
            "questions": questions,
            "reports": reports,
            "prompts": names,
            "tidy": tidy.messages[0].content.text,
            "completed": completed.completion.values,
            "rooms": rooms.contents[0].text,
        }


print(json.dumps(asyncio.run(visit(*sys.argv[1:]))))
