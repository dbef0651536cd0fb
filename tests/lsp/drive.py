"""Drives a language server with the client of pygls, which checks the type of every message.

The first argument is the command of the server as JSON, the second the client's options. Each line of standard input is a
step, a JSON object with `do`; each line of standard output is its result.
"""

import asyncio
import json
import sys

from lsprotocol import converters, types
from pygls.lsp.client import LanguageClient

# It only ends a hang.
TIMEOUT = 120


class Driver:
    def __init__(self, options):
        self.client = LanguageClient("toolwrit-tests", "1")
        self.converter = converters.get_converter()
        self.answer = options.get("answer")
        self.encodings = options.get("encodings", ["utf-16"])
        self.questions = []
        self.messages = []
        # The diagnostics of each document since the last change of any of them.
        self.diagnostics = {}
        self.published = asyncio.Condition()
        self.versions = {}
        self.listen()

    def listen(self):
        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        async def on_diagnostics(params):
            async with self.published:
                self.diagnostics[params.uri] = params
                self.published.notify_all()

        @self.client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)
        async def on_question(params):
            self.questions.append(params.message)
            chosen = [action for action in params.actions or [] if action.title == self.answer]
            return chosen[0] if chosen else None

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        def on_message(params):
            self.messages.append(params.message)

    async def start(self, command):
        await self.client.start_io(*command)
        window = types.WindowClientCapabilities(show_message=types.ShowMessageRequestClientCapabilities())
        encodings = [types.PositionEncodingKind(encoding) for encoding in self.encodings]
        capabilities = types.ClientCapabilities(
            window=window if self.answer else None,
            general=types.GeneralClientCapabilities(position_encodings=encodings),
        )
        params = types.InitializeParams(capabilities=capabilities)
        result = await self.client.initialize_async(params)
        self.client.initialized(types.InitializedParams())
        return result

    async def step(self, step):
        return await getattr(self, "do_" + step.pop("do"))(**step)

    async def do_open(self, uri, text, language):
        self.versions[uri] = 1
        self.diagnostics.clear()
        item = types.TextDocumentItem(uri=uri, language_id=language, version=1, text=text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))

    async def do_change(self, uri, text):
        self.versions[uri] += 1
        self.diagnostics.clear()
        document = types.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri])
        whole = types.TextDocumentContentChangeWholeDocument(text=text)
        params = types.DidChangeTextDocumentParams(text_document=document, content_changes=[whole])
        self.client.text_document_did_change(params)

    async def do_close(self, uri):
        document = types.TextDocumentIdentifier(uri=uri)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=document))

    async def do_diagnostics(self, uri):
        """The diagnostics of the newest version, after the last change."""

        def are_new():
            found = self.diagnostics.get(uri)
            return found and found.version == self.versions.get(uri)

        async with self.published:
            await asyncio.wait_for(self.published.wait_for(are_new), TIMEOUT)
        return self.diagnostics[uri].diagnostics

    async def do_complete(self, uri, line, character):
        params = types.CompletionParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        return await self.client.text_document_completion_async(params)

    async def do_hover(self, uri, line, character):
        params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        return await self.client.text_document_hover_async(params)

    async def do_define(self, uri, line, character):
        params = types.DefinitionParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        return await self.client.text_document_definition_async(params)

    async def do_actions(self, uri, line):
        place = types.Position(line, 0)
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(uri), types.Range(place, place), types.CodeActionContext([])
        )
        return await self.client.text_document_code_action_async(params)

    async def do_execute(self, command, arguments):
        params = types.ExecuteCommandParams(command, arguments)
        return await self.client.workspace_execute_command_async(params)

    async def do_asked(self):
        return {"questions": self.questions, "messages": self.messages}

    async def do_stop(self):
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await asyncio.wait_for(self.client._server.wait(), TIMEOUT)
        return self.client._server.returncode

    def show(self, result):
        print(json.dumps(self.converter.unstructure(result)), flush=True)


async def main():
    command, options = json.loads(sys.argv[1]), json.loads(sys.argv[2])
    driver = Driver(options)
    driver.show(await asyncio.wait_for(driver.start(command), TIMEOUT))
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        try:
            driver.show(await asyncio.wait_for(driver.step(json.loads(line)), TIMEOUT))
        except Exception as error:
            driver.show({"failed": f"{type(error).__name__}: {error}"})


asyncio.run(main())
