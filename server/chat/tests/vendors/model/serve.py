"""A language model on this machine, behind the API of chat completions. It chooses calls; results it only repeats.

Prints its port, and serves until its standard input ends.
"""

import functools
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

os.environ["NEEDLE_TELEMETRY"] = "0"

import needle  # It reads the variable above.

# The model is small, and reads schemas without bounds.
BOUNDS = {"minLength", "maxLength", "pattern", "default", "minItems", "maxItems", "minimum", "maximum", "additionalProperties"}


def lean(schema):
    if isinstance(schema, dict):
        return {key: lean(value) for key, value in schema.items() if key not in BOUNDS}
    return [lean(item) for item in schema] if isinstance(schema, list) else schema


@functools.cache
def model(tools):
    return needle.Needle(tools=json.loads(tools), stateless=True, auto_date=False)


def answer(request):
    """The deltas of the response, and why it ends."""
    last = request["messages"][-1]
    if last["role"] == "tool":
        return [{"content": last["content"]}], "stop"
    tools = [lean(tool["function"]) for tool in request.get("tools", [])]
    wanted = model(json.dumps(tools)).complete(last["content"], 256)["function_calls"]
    calls = [
        {
            "index": index,
            "id": f"call_{index}",
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])},
        }
        for index, call in enumerate(wanted)
    ]
    return ([{"tool_calls": calls}], "tool_calls") if calls else ([{"content": "No tool fits."}], "stop")


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        deltas, reason = answer(request)
        if not request.get("stream"):
            return self.whole(deltas[0], reason)
        choices = [{"delta": delta, "finish_reason": None} for delta in deltas] + [{"delta": {}, "finish_reason": reason}]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for choice in choices:
            chunk = {"id": "n", "object": "chat.completion.chunk", "created": 0, "model": "needle", "choices": [{"index": 0, **choice}]}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")


    def whole(self, message, reason):
        choice = {"index": 0, "message": {"role": "assistant", "content": None, **message}, "finish_reason": reason}
        body = json.dumps({"id": "n", "object": "chat.completion", "created": 0, "model": "needle", "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
