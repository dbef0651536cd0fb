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
from pydantic import BaseModel, TypeAdapter


def checked(kind, value):
    """Validates a value as a type, which must know every key of it."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        kept = kind.model_validate(value).model_dump(by_alias=True, exclude_unset=True, mode="json")
    else:
        # It has to outlive the lists that are read lazily.
        adapter = TypeAdapter(kind)
        kept = adapter.validate_python(value)
    known(kept, value, "")


def known(kept, given, path):
    """Fails at the first key that validation has dropped. Lists of parameters are read lazily."""
    if isinstance(given, dict):
        for key, inner in given.items():
            if key not in kept:
                raise ValueError(f"unknown key {path}/{key}")
            known(kept[key], inner, f"{path}/{key}")
    elif isinstance(given, list):
        for number, (kept_item, item) in enumerate(zip(list(kept), given, strict=True)):
            known(kept_item, item, f"{path}/{number}")


# Every other provider has the requests of OpenAI.
REQUESTS = {
    "openai-responses": Responses,
    "anthropic": Anthropic,
    "ollama": Ollama,
    "mistral": mistral.ChatCompletionStreamRequest,
}

TOOLS = {
    "openai-responses": ResponsesTool,
    "anthropic": ToolUnionParam,
    "gemini": gemini.Tool,
    "ollama": OllamaTool,
    "mistral": mistral.Tool,
}


def flattened(tool):
    """Removes the properties of properties, which Ollama's server reads, and its package for Python does not know yet."""
    for schema in tool["function"]["parameters"]["properties"].values():
        schema.pop("properties", None)
        schema.pop("required", None)


def request(kind, body):
    if kind == "gemini":
        for content in body["contents"]:
            checked(gemini.Content, content)
        for tool in body.get("tools", []):
            checked(gemini.Tool, tool)
    else:
        if kind == "ollama":
            for tool in body.get("tools", []):
                flattened(tool)
        checked(REQUESTS.get(kind, OpenAi), body)


def tools(kind, described):
    if kind == "mcp":
        checked(mcp.ListToolsResult, described)
    elif kind == "openapi":
        validate_openapi(described)
    else:
        for tool in described:
            if kind == "ollama":
                nested(tool["function"]["parameters"])
            # Every other provider has the format of OpenAI.
            checked(TOOLS.get(kind, ChatCompletionToolParam), tool)


def nested(schema):
    """Checks objects in objects as parameters, and takes out what they have: Ollama's server knows their properties, and
    the Python type does not."""
    for inner in schema.get("properties", {}).values():
        if "properties" in inner:
            nested(inner)
            checked(OllamaTool.Function.Parameters, {"type": "object", **{key: inner.pop(key) for key in ("properties", "required") if key in inner}})


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
