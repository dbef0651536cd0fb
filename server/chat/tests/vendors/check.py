"""Checks requests and tool descriptions with the types that providers publish. Unknown keys are mistakes.

Reads lines of JSON: {"kind": DIALECT, "request": BODY} or {"kind": FORMAT, "tools": DESCRIPTIONS}.
"""

import json
import sys

from anthropic.types import ToolUnionParam
from anthropic.types.message_create_params import MessageCreateParamsStreaming as Anthropic
from google.genai import types as gemini
from mcp import types as mcp
from mistralai.client import models as mistral
from ollama._types import ChatRequest as Ollama
from ollama._types import Tool as OllamaTool
from openai.types.chat import ChatCompletionToolParam
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming as OpenAi
from openai.types.responses import ToolParam as ResponsesTool
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming as Responses
from openapi_spec_validator import validate as validate_openapi
from pydantic import TypeAdapter


def typed(kind, value):
    """Validates a value as a type. Models and typed dictionaries refuse keys that they do not have."""
    return TypeAdapter(kind).validate_python(value)


def request(kind, body):
    if kind == "openai":
        typed(OpenAi, body)
    elif kind == "openai-responses":
        typed(Responses, body)
    elif kind == "anthropic":
        typed(Anthropic, body)
    elif kind == "gemini":
        for content in body["contents"]:
            gemini.Content.model_validate(content)
        for tool in body.get("tools", []):
            gemini.Tool.model_validate(tool)
    elif kind == "ollama":
        Ollama.model_validate(body)
    else:
        raise ValueError(kind)


def tools(kind, described):
    if kind == "mcp":
        mcp.ListToolsResult.model_validate(described)
    elif kind == "openapi":
        validate_openapi(described)
    elif kind == "gemini":
        for tool in described:
            gemini.Tool.model_validate(tool)
    elif kind == "anthropic":
        for tool in described:
            typed(ToolUnionParam, tool)
    elif kind == "ollama":
        for tool in described:
            OllamaTool.model_validate(tool)
    elif kind == "openai-responses":
        for tool in described:
            typed(ResponsesTool, tool)
    elif kind == "mistral":
        for tool in described:
            mistral.Tool.model_validate(tool)
    else:
        for tool in described:
            typed(ChatCompletionToolParam, tool)


failed = False
for line in open(sys.argv[1], encoding="utf-8"):
    entry = json.loads(line)
    try:
        if "request" in entry:
            request(entry["kind"], entry["request"])
        else:
            tools(entry["kind"], entry["tools"])
        print(entry["kind"], "request" if "request" in entry else "tools", "ok")
    except Exception as error:  # Every validator has its own.
        failed = True
        print(entry["kind"], "FAILED", str(error)[:1500])
sys.exit(failed)
