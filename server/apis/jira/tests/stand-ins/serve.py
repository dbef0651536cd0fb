"""Serves a stand-in for Jira on a free port, and prints the port.

jira820 is a Jira of Data Center that accepts changes. Backlot is a Jira Cloud that people with different tokens read.
"""

import os
import pathlib
import socket
import sys

import uvicorn

HERE = pathlib.Path(__file__).parent


def jira820():
    from fastapi import Request
    from fastapi.responses import Response
    from jira820.server import make_app
    from jira820.store import JiraError

    app = make_app()
    path = "/rest/agile/1.0/sprint/{sprint}"

    # It replaces sprints as a whole, and has neither partial changes nor deletion.
    @app.post(path)
    async def change(sprint: int, request: Request):
        return app.state.store.update_sprint(sprint, await request.json())

    @app.delete(path)
    async def delete(sprint: int):
        store = app.state.store
        if sprint not in store.sprints:
            raise JiraError(404, f"Sprint {sprint} does not exist.")
        del store.sprints[sprint]
        return Response(status_code=204)

    return app


def backlot():
    os.environ["BACKLOT_DATA_DIR"] = str(HERE / ".venv" / "corpus")
    os.environ["BACKLOT_TELEMETRY"] = "false"
    from backlot import auth
    from backlot.main import app
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    async def myself(request):
        """Backlot does not have it."""
        caller = auth.atlassian_caller(request)
        if caller.is_anonymous:
            return Response(status_code=401)
        return JSONResponse({"accountId": caller.email, "displayName": caller.email})

    app.router.routes.insert(0, Route("/atlassian/rest/api/2/myself", myself))
    return app


listener = socket.create_server(("127.0.0.1", 0))
app = {"jira820": jira820, "backlot": backlot}[sys.argv[1]]()
print(listener.getsockname()[1], flush=True)
config = uvicorn.Config(app, log_level="critical")
uvicorn.Server(config).run(sockets=[listener])
