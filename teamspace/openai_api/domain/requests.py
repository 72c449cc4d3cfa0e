"""Read OpenAI's requests as requests to a model.

An option that only tunes the answer is ignored if no executor takes it. An option whose absence would make the answer
wrong is refused.
"""

from collections.abc import Iterator
from typing import Literal

from teamspace.completions import (
    AnyText,
    Content,
    Function,
    FunctionCall,
    FunctionChoice,
    FunctionName,
    FunctionTool,
    ImagePart,
    ImageUrl,
    JsonObject,
    JsonSchema,
    Message,
    ModelRequest,
    NamedSchema,
    Part,
    ResponseFormat,
    Speaker,
    TextPart,
    ToolCall,
)
from teamspace.core.errors import BadRequest
from teamspace.openai_api.schemas import (
    MAX_PARTS,
    CompletionRequest,
    WireMessage,
    WirePart,
    WireResponseFormat,
    WireTool,
    WireToolCall,
    WireToolChoice,
)

DEFAULT_MODEL = "default"
"""The model that the server chooses."""
_SPEAKERS = {
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
    "user": Speaker.USER,
    "assistant": Speaker.ASSISTANT,
    "tool": Speaker.TOOL,
}
_DETAILS: dict[str | None, Literal["auto", "low", "high"]] = {"auto": "auto", "low": "low", "high": "high"}
_CHOICES: dict[str, Literal["auto", "none", "required"]] = {"auto": "auto", "none": "none", "required": "required"}
_MAX_STOPS, _MAX_STOP = 4, 100


def to_model_request(body: CompletionRequest) -> ModelRequest:
    _check_options(body)
    tools = [_to_tool(tool, f"/tools/{index}") for index, tool in enumerate(body.tools or ())]
    return ModelRequest(
        messages=[_to_message(message, f"/messages/{index}") for index, message in enumerate(body.messages)],
        model=None if body.model == DEFAULT_MODEL else body.model,
        max_tokens=body.max_completion_tokens or body.max_tokens,
        temperature=body.temperature,
        response_format=_to_response_format(body.response_format),
        tools=tools,
        tool_choice=_to_tool_choice(body.tool_choice) if tools else None,
    )


def stop_sequences(body: CompletionRequest) -> tuple[str, ...]:
    """Return the texts before which the answer ends."""
    given = [body.stop] if isinstance(body.stop, str) else body.stop or []
    if len(given) > _MAX_STOPS or not all(1 <= len(text) <= _MAX_STOP for text in given):
        raise BadRequest.at("/stop", "openai.stop", count=_MAX_STOPS, length=_MAX_STOP)
    return tuple(given)


def _check_options(body: CompletionRequest) -> None:
    if body.n not in (None, 1):
        raise BadRequest.at("/n", "openai.one_answer")
    if set(body.modalities or ()) - {"text"}:
        raise BadRequest.at("/modalities", "openai.only_text")
    for name in ("logprobs", "functions", "function_call", "audio", "web_search_options"):
        if getattr(body, name):
            raise BadRequest.at(f"/{name}", "openai.not_supported")
    if sum(len(message.content) for message in body.messages if isinstance(message.content, list)) > MAX_PARTS:
        raise BadRequest.at("/messages", "openai.too_many_parts", limit=MAX_PARTS)


# Messages


def _to_message(message: WireMessage, at: str) -> Message:
    speaker = _SPEAKERS.get(message.role)
    if speaker is None:
        raise BadRequest.at(f"{at}/role", "openai.role", choices=", ".join(_SPEAKERS))
    if message.function_call:
        raise BadRequest.at(f"{at}/function_call", "openai.not_supported")
    if speaker is Speaker.TOOL and not message.tool_call_id:
        raise BadRequest.at(f"{at}/tool_call_id", "openai.call_required")
    if message.content is None and speaker is not Speaker.ASSISTANT:
        raise BadRequest.at(f"{at}/content", "openai.content_required")
    return Message(
        speaker,
        _to_content(message.content, f"{at}/content"),
        [_to_call(call, f"{at}/tool_calls/{index}") for index, call in enumerate(message.tool_calls or ())],
        message.tool_call_id,
        message.name,
    )


def _to_content(content: str | list[WirePart] | None, at: str) -> Content | None:
    if not isinstance(content, list):
        return content
    return list(_to_parts(content, at))


def _to_parts(parts: list[WirePart], at: str) -> Iterator[Part]:
    for index, part in enumerate(parts):
        if part.type == "text" and part.text is not None:
            yield TextPart(part.text)
        elif part.type == "image_url" and part.image_url is not None:
            yield ImagePart(_to_image(part, f"{at}/{index}/image_url"))
        else:
            raise BadRequest.at(f"{at}/{index}", "openai.part")


def _to_image(part: WirePart, at: str) -> ImageUrl:
    url, detail = (part.image_url, None) if isinstance(part.image_url, str) else (
        (part.image_url.url, part.image_url.detail) if part.image_url else ("", None)
    )  # fmt: skip
    if not url.startswith("data:image/"):
        raise BadRequest.at(f"{at}/url", "openai.image")
    return ImageUrl(url, _DETAILS.get(detail))


def _to_call(call: WireToolCall, at: str) -> ToolCall:
    if call.function is None:
        raise BadRequest.at(f"{at}/type", "openai.only_functions")
    return ToolCall(call.id, FunctionCall(call.function.name, call.function.arguments))


# Tools and formats


def _to_tool(tool: WireTool, at: str) -> FunctionTool:
    if tool.function is None:
        raise BadRequest.at(f"{at}/type", "openai.only_functions")
    function = tool.function
    return FunctionTool(Function(function.name, function.description, function.parameters or {}, function.strict))


def _to_tool_choice(
    choice: WireToolChoice | str | None,
) -> Literal["auto", "none", "required"] | FunctionChoice | None:
    if choice is None:
        return None
    if isinstance(choice, WireToolChoice):
        if choice.function is not None:
            return FunctionChoice(FunctionName(choice.function.name))
    elif choice in _CHOICES:
        return _CHOICES[choice]
    raise BadRequest.at("/tool_choice", "openai.tool_choice")


def _to_response_format(wanted: WireResponseFormat | None) -> ResponseFormat | None:
    if wanted is None:
        return None
    if wanted.type == "text":
        return AnyText()
    if wanted.type == "json_object":
        return JsonObject()
    if wanted.type != "json_schema":
        raise BadRequest.at("/response_format/type", "openai.format")
    schema = wanted.json_schema
    if schema is None or schema.schema is None:
        raise BadRequest.at("/response_format/json_schema/schema", "openai.schema_required")
    return JsonSchema(NamedSchema(schema.schema, schema.name, schema.description, schema.strict))
