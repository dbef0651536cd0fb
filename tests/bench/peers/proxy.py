"""FastMCP as a gateway on standard streams, before the server whose command is its arguments."""

import sys

from fastmcp.server import create_proxy

program, *arguments = sys.argv[1:]
servers = {"up": {"command": program, "args": arguments}}
create_proxy({"mcpServers": servers}, name="peer").run(show_banner=False)
