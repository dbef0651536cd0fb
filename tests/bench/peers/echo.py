"""The lab's echo on FastMCP: on standard streams, or with a port as its argument over HTTP."""

import sys

from fastmcp import FastMCP

server = FastMCP("peer")


@server.tool
def lab_echo(text: str) -> dict[str, str]:
    """Say it again."""
    return {"text": text}


if len(sys.argv) > 1:
    quiet = {"log_level": "error", "access_log": False}
    server.run(
        transport="http",
        port=int(sys.argv[1]),
        path="/mcp",
        stateless_http=True,
        json_response=True,
        show_banner=False,
        uvicorn_config=quiet,
    )
else:
    server.run(show_banner=False)
