"""Imports OpenAPI documents, and compares what the manifests send with what the documents say.

usage: oracle.py PROGRAM CALLS [--prism PRISM] DOCUMENT..

For each document: the import and `check` succeed; the official Python client lists every operation, with schemas that
clients accept; each operation, parameter and field of a body that this reader finds is in the manifest, or named as lost.
CALLS operations, taken from all documents in turn, are called with the examples of their manifests. A recorder holds
each request against its document with openapi-core, and Prism mocks some of the APIs. Prints a line of JSON for each
document, one with the totals, and one for each finding; the exit code is 1 if there are any."""
import asyncio, json, os, re, socket, subprocess, sys, tempfile, threading, urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from jsonschema import Draft202012Validator
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from openapi_core import Config, OpenAPI
from openapi_core.datatypes import RequestParameters
from openapi_core.validation.request.exceptions import SecurityValidationError
from reader import Imported
from werkzeug.datastructures import Headers, ImmutableMultiDict

KEY = re.compile(r"^[a-zA-Z0-9_.-]{1,64}$")
TOKEN = "s3cret"


# What is found although nothing is wrong with the program.
KNOWN = [
    (r"no operation that can be imported", "documents without operations are refused"),
    (r"circular-request-bodies: POST /direct", "the schema requires itself without end"),
    (r"complex-nesting: POST /multischema/of-everything", "each value fits several alternatives, and must fit one"),
    (r"discriminators: PATCH /embedded-discriminator", "the value fits several alternatives, and must fit one"),
    (r"discriminators: .*could not be resolved", "the validator does not read names of schemas in a mapping"),
    (r"parameters-style: .*path/label", "the validator does not read the style `label`"),
    (r"Missing required header parameter: Authorization", "the engine sets this header"),
    (r"schema-enums: .*is a required property", "the document requires what it does not describe"),
    (r"plaid.com: POST /transfer/questionnaire/create", "the document requires what it does not describe"),
    (r"box.com: (uploads.post_files_id_content|invites.post): Prism", "the document requires what it does not describe"),
    (r"brex.io: v1-pepsanction", "the document says that a part of a path may be empty"),
    (r"flickr.com: GET /rest", "the validator does not read queries in paths"),
    (r"polymorphism: POST /one-of-complex", "the value fits several alternatives, and must fit one"),
    (r"'mutualTLS'", "the validator does not know the scheme"),
]


class Request:
    """A request as openapi-core reads it."""

    def __init__(self, handler, body):
        parts = urllib.parse.urlsplit(handler.path)
        self.method, self.path, self.body = handler.command.lower(), parts.path, body or None
        self.host_url = f"http://{handler.headers['host']}"
        self.content_type = (handler.headers.get("content-type") or "").strip()
        query = urllib.parse.parse_qsl(parts.query, keep_blank_values=True)
        self.parameters = RequestParameters(
            query=ImmutableMultiDict(query), header=Headers(list(handler.headers.items())), cookie=ImmutableMultiDict()
        )

    @property
    def full_url_pattern(self):
        return self.host_url + self.path


class Recorder:
    """A server that holds each request against a document. It answers 200 and an empty object."""

    def __init__(self):
        self.findings, self.count = [], 0
        self.openapi = None
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                recorder.count += 1
                if recorder.openapi:
                    try:
                        recorder.openapi.validate_request(Request(self, body))
                    except SecurityValidationError:
                        pass  # The import keeps one of several ways.
                    except Exception as error:
                        why = f"{error}; {error.__cause__ or ''}"
                        kind = (self.headers.get("content-type") or "").partition("/")[2]
                        # The validator takes the fields of forms for texts.
                        is_form = kind.startswith(("form-data", "x-www-form"))
                        if not (is_form and re.search("is not (of type|valid under any)", why)):
                            recorder.findings.append(f"{self.command} {self.path}: {why[:300]}")
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def hold_against(self, document):
        """False if the document is not one that the validator reads."""
        copy = json.loads(json.dumps(document))
        copy["servers"] = [{"url": self.url}]
        for item in (copy.get("paths") or {}).values():
            for owner in [item, *[value for value in item.values() if isinstance(value, dict)]]:
                owner.pop("servers", None)
        try:
            formats = set(re.findall(r'"([a-z]+/[^"]*[+]json[^"]*)"', json.dumps(copy)))
            config = Config(extra_media_type_deserializers={name: json.loads for name in formats})
            self.openapi = OpenAPI.from_dict(copy, config=config)
        except Exception:
            self.openapi = None
        return self.openapi is not None


def configuration(imported, url):
    """The settings of the operator, with a secret for each."""
    name, provider = next(iter(imported.manifest["providers"].items()))
    lines = [f"[providers.{name}]", f'url = "{url}"', 'networks = ["127.0.0.0/8"]']
    for setting, value in provider["settings"].items():
        if setting != "url":
            secret = isinstance(value, dict) and value.get("sensitive")
            lines.append(f"{setting} = " + ('{ env = "ORACLE_SECRET" }' if secret else '"user"'))
    # Without probes, operations are listed although nobody answers.
    text = imported.manifest_path.read_text()
    imported.manifest_path.write_text(re.sub(r"(?m)^      probe: .*\n", "", text))
    path = imported.manifest_path.with_suffix(".toml")
    path.write_text("\n".join(lines) + "\n")
    return path


async def with_client(imported, url, use):
    """Serves a manifest, and uses it with the official client."""
    arguments = ["serve", "--manifest", str(imported.manifest_path), "--config", str(configuration(imported, url))]
    arguments += ["--surface", "flat"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(imported.home), "ORACLE_SECRET": TOKEN}
    server = StdioServerParameters(command=imported.program, args=arguments, env=environment)
    with open(imported.home / "stderr", "w") as errors:
        async with stdio_client(server, errlog=errors) as (reading, writing):
            async with ClientSession(reading, writing) as session:
                await session.initialize()
                return await use(session)


async def listed(session):
    tools, cursor = [], None
    while True:
        page = await session.list_tools(cursor=cursor) if cursor else await session.list_tools()
        tools += page.tools
        cursor = getattr(page, "next_cursor", None) or getattr(page, "nextCursor", None)
        if not cursor:
            return tools


def schema_of(tool):
    return getattr(tool, "input_schema", None) or tool.inputSchema


def keys(schema):
    for name, value in (schema.get("properties") or {}).items():
        yield name
        if isinstance(value, dict):
            yield from keys(value)


def wrong_listing(imported, tools):
    """What clients would not accept of a list of tools."""
    server = imported.manifest["server"]["name"]
    expected = {identifier.replace(".", "_").replace("-", "_") for identifier in imported.operations}
    found = {tool.name.replace("-", "_") for tool in tools}
    for name in sorted(expected - found)[:3]:
        yield f"{name} is not listed"
    for tool in tools:
        if len(f"mcp__{server}__{tool.name}") > 60 and tool.name.replace("-", "_") in expected:
            yield f"{tool.name} has too long a name"
        try:
            Draft202012Validator.check_schema(schema_of(tool))
        except Exception as error:
            yield f"{tool.name}: {str(error)[:100]}"
        for key in keys(schema_of(tool)):
            if not KEY.match(key):
                yield f"{tool.name}: the key {key}"


def examples(imported):
    """The operations that can be called, with the arguments of their examples."""
    for identifier, operation in imported.operations.items():
        required = [name for name in operation.get("params") or {} if not name.endswith("?")]
        arguments = ((operation.get("examples") or [{}])[0]).get("args") or {}
        if all(name in arguments or isinstance(operation["params"][name], dict) and "default" in operation["params"][name] for name in required):
            yield identifier, operation, arguments


async def called(imported, url, wanted):
    """Calls operations; returns the answers that are failures."""

    async def use(session):
        tools = {tool.name.replace("-", "_"): tool for tool in await listed(session)}
        failures = []
        for identifier, operation, arguments in wanted:
            tool = tools.get(identifier.replace(".", "_").replace("-", "_"))
            if tool is None:
                failures.append((identifier, "not listed"))
                continue
            arguments = dict(arguments)
            for _ in range(2):
                result = await session.call_tool(tool.name, arguments)
                text = " ".join(getattr(block, "text", "") for block in result.content)
                token = re.search(r'"confirm"\s*:\s*"([^"]+)"|confirm[^a-zA-Z0-9]+`([^`]+)`', text)
                if "CONFIRM" not in text or not token:
                    break
                arguments["confirm"] = token.group(1) or token.group(2)
            if getattr(result, "is_error", None) or getattr(result, "isError", None):
                failures.append((identifier, text[:300]))
        return failures

    return await with_client(imported, url, use)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def chosen(all_imported, count):
    """Operations of each document in turn, evenly from all of it."""
    wanted = {imported: [] for imported in all_imported}
    each = max(1, -(-count // max(1, len(all_imported))))
    for imported in all_imported:
        possible = list(examples(imported))
        step = max(1, len(possible) // each)
        wanted[imported] = possible[::step][:each]
    return wanted


def against_prism(prism, all_imported, count):
    """Calls operations of a few documents, which Prism answers, or refuses with 422 if a request is not valid. Returns how
    many were called, and what was refused."""
    documents = [one for one in all_imported if "openapi" in one.document and len(list(examples(one))) > 4]
    documents = documents[: max(2, count // 50)]
    done, findings = 0, []
    for imported, wanted in chosen(documents, count).items():
        port = free_port()
        command = [prism, "mock", "--errors", "--port", str(port), str(imported.path)]
        mock = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            for line in mock.stdout:
                if "Prism is listening" in line or "processed" in line.lower():
                    break
            threading.Thread(target=lambda out=mock.stdout: [None for _ in out], daemon=True).start()
            failures = asyncio.run(called(imported, f"http://127.0.0.1:{port}", wanted))
        finally:
            mock.kill()
            mock.wait()
        done += len(wanted)
        findings += [f"{imported.name}: {name}: Prism: {why}" for name, why in failures if "status 422" in why]
    return done, findings


def main():
    arguments = sys.argv[1:]
    prism = None
    if "--prism" in arguments:
        at = arguments.index("--prism")
        prism, arguments = arguments[at + 1], arguments[:at] + arguments[at + 2 :]
    program, count, paths = arguments[0], int(arguments[1]), [Path(path) for path in arguments[2:]]
    findings, rows = [], []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        good = []
        for path in paths:
            imported = Imported(program, path, home)
            if imported.failed:
                findings.append(f"{imported.name}: {imported.failed[:300]}")
                continue
            good.append(imported)
            findings += [f"{imported.name}: not in the manifest: {what}" for what in imported.missing()]
            tools = asyncio.run(with_client(imported, "http://127.0.0.1:9", listed))
            findings += [f"{imported.name}: {what}" for what in wrong_listing(imported, tools)]
            kinds = {}
            for loss in imported.losses:
                kinds[loss["kind"]] = kinds.get(loss["kind"], 0) + 1
            version = imported.document.get("openapi") or imported.document.get("swagger")
            rows.append({"document": imported.name, "version": str(version), "operations": len(imported.operations), "losses": kinds})
        mocked, of_prism = (0, []) if prism is None else against_prism(prism, good, count)
        findings += of_prism
        recorder, calls, held = Recorder(), 0, 0
        for imported, wanted in chosen(good, count).items():
            is_held = recorder.hold_against(imported.document)
            before = recorder.count
            failures = asyncio.run(called(imported, recorder.url, wanted))
            calls += recorder.count - before
            held += recorder.count - before if is_held else 0
            findings += [f"{imported.name}: {identifier}: {why}" for identifier, why in failures if "VALIDATION" in why or why == "not listed"]
            findings += [f"{imported.name}: {what}" for what in recorder.findings]
            recorder.findings = []
    findings = [one for one in findings if not any(re.search(known, one) for known, _ in KNOWN)]
    for row in rows:
        print(json.dumps(row))
    print(json.dumps({"documents": len(rows), "operations": sum(row["operations"] for row in rows), "calls": calls, "held": held, "mocked": mocked}))
    for finding in findings:
        print("finding:", finding)
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
