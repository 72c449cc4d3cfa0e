"""Read OpenAI's requests as chat turns.

An option that only tunes the answer is ignored if no executor takes it. An option whose absence would make the answer
wrong is refused.
"""

from typing import Literal

from teamspace.ai import ChatBody
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
_SPEAKERS = {"developer": Speaker.SYSTEM}
_DETAILS: dict[str | None, Literal["auto", "low", "high"]] = {"auto": "auto", "low": "low", "high": "high"}
ToolChoice = Literal["auto", "none", "required"]
_MAX_STOPS, _MAX_STOP = 4, 100


def to_chat_body(body: CompletionRequest) -> ChatBody:
    _check_options(body)
    tools = [_to_tool(tool) for tool in body.tools or ()]
    return ChatBody(
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
    speaker = _SPEAKERS.get(message.role) or Speaker(message.role)
    if message.function_call:
        raise BadRequest.at(f"{at}/function_call", "openai.not_supported")
    if speaker is Speaker.TOOL and not message.tool_call_id:
        raise BadRequest.at(f"{at}/tool_call_id", "openai.call_required")
    if message.content is None and speaker is not Speaker.ASSISTANT:
        raise BadRequest.at(f"{at}/content", "openai.content_required")
    return Message(
        speaker,
        _to_content(message.content, f"{at}/content"),
        [_to_call(call) for call in message.tool_calls or ()],
        message.tool_call_id,
        message.name,
    )


def _to_content(content: str | list[WirePart] | None, at: str) -> Content | None:
    if isinstance(content, list):
        return [_to_part(part, f"{at}/{index}") for index, part in enumerate(content)]
    return content


def _to_part(part: WirePart, at: str) -> Part:
    if part.type == "text" and part.text is not None:
        return TextPart(part.text)
    if part.type == "image_url" and part.image_url is not None:
        if not part.image_url.url.startswith("data:image/"):
            raise BadRequest.at(f"{at}/image_url/url", "openai.image")
        return ImagePart(ImageUrl(part.image_url.url, _DETAILS.get(part.image_url.detail)))
    raise BadRequest.at(at, "openai.part")


def _to_call(call: WireToolCall) -> ToolCall:
    return ToolCall(call.id, FunctionCall(call.function.name, call.function.arguments))


# Tools and formats


def _to_tool(tool: WireTool) -> FunctionTool:
    function = tool.function
    return FunctionTool(Function(function.name, function.description, function.parameters or {}, function.strict))


def _to_tool_choice(choice: ToolChoice | WireToolChoice | None) -> ToolChoice | FunctionChoice | None:
    return FunctionChoice(FunctionName(choice.function.name)) if isinstance(choice, WireToolChoice) else choice


def _to_response_format(wanted: WireResponseFormat | None) -> ResponseFormat | None:
    if wanted is None:
        return None
    if wanted.type == "text":
        return AnyText()
    if wanted.type == "json_object":
        return JsonObject()
    schema = wanted.json_schema
    if schema is None or schema.schema is None:
        raise BadRequest.at("/response_format/json_schema/schema", "openai.schema_required")
    return JsonSchema(NamedSchema(schema.schema, schema.name, schema.description, schema.strict))
