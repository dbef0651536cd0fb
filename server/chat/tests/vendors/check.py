"""Checks requests and tool descriptions with the types that providers publish. Unknown keys are mistakes.

Reads lines of JSON: {"kind": DIALECT, "request": BODY}, {"kind": FORMAT, "tools": DESCRIPTIONS}, or {"kind": DIALECT,
"pages": LISTS OF MODELS, "offered": [[NAME, CONTEXT]..]}.
"""

import json
import sys

from anthropic.types import ModelInfo, ToolUnionParam
from anthropic.types.message_create_params import MessageCreateParamsStreaming as Anthropic
from google.genai import types as gemini
from google.genai.models import _Model_from_mldev
from mcp import types as mcp
from mistralai.client import models as mistral
from ollama._types import ChatRequest as Ollama
from ollama._types import ListResponse, ShowResponse
from ollama._types import Tool as OllamaTool
from openai.types import Model as OpenAiModel
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


def offered(kind, pages):
    """The models of a list and their contexts, as the types of the provider read them. Servers that are compatible with OpenAI
    have the context in fields of their own."""
    if kind == "anthropic":
        models = [ModelInfo.model_validate(entry) for page in pages for entry in page["data"]]
        return {(model.id, model.max_input_tokens) for model in models}
    if kind == "gemini":
        read = lambda entry: gemini.Model.model_validate({**_Model_from_mldev(entry), "tuned_model_info": None})
        models = [read(entry) for page in pages for entry in page["models"]]
        converse = [model for model in models if "generateContent" in model.supported_actions]
        return {(model.name.removeprefix("models/"), model.input_token_limit) for model in converse}
    if kind == "ollama":
        listed, shown = ListResponse.model_validate(pages[0]), ShowResponse.model_validate(pages[1])
        return {(listed.models[0].model, shown.modelinfo["qwen3.context_length"])}
    models = [OpenAiModel.model_validate(entry) for page in pages for entry in page["data"]]
    if kind == "mistral":
        [model] = [mistral.BaseModelCard.model_validate({**entry, "capabilities": {}}) for entry in pages[0]["data"]]
        return {(model.id, model.max_context_length)}
    own = {"openrouter": "context_length", "grok": "max_model_len", "deepseek": "context_window"}
    context = lambda model: model.meta["n_ctx_train"] if kind == "azure" else getattr(model, own.get(kind, ""), None)
    return {(model.id, context(model)) for model in models}


failed = False
for line in open(sys.argv[1], encoding="utf-8"):
    entry = json.loads(line)
    try:
        if "request" in entry:
            request(entry["kind"], entry["request"])
        elif "tools" in entry:
            tools(entry["kind"], entry["tools"])
        elif offered(entry["kind"], entry["pages"]) != {tuple(model) for model in entry["offered"]}:
            raise ValueError(f"read as {entry['offered']}")
        print(entry["kind"], "ok")
    except Exception as error:  # Every validator has its own.
        failed = True
        print(entry["kind"], "FAILED", str(error)[:1500])
sys.exit(failed)
