"""What the simulated model answers: a function of the request alone."""

import json

import msgspec

from teamspace.ai.domain.simulated import fields, instances, knowledge, markers, sources, tool_use, translations
from teamspace.ai.domain.simulated.markers import Markers
from teamspace.completions import ImagePart, JsonSchema, Message, ModelRequest, Speaker, ToolCall, structured, text_of

_INTRODUCTION = "This is the simulated model: no real one is set up."
_MAX_RESULT = 1000
BAD_JSON = "This is the simulated model, and no JSON."


class Composed(msgspec.Struct, frozen=True):
    text: str
    calls: list[ToolCall] = []


def compose(request: ModelRequest, marked: Markers) -> Composed:
    """Return the answer; takes time in proportion to the size of the request."""
    conversation = request.conversation
    place = _place_of_prompt(conversation)
    prompt = sources.without(text_of(conversation[place].content)).strip()
    since = conversation[place + 1 :]
    wanted = tool_use.calls(request, markers.without(prompt), marked.calls)
    made = sum(len(message.tool_calls) for message in since)
    if made < len(wanted):
        return Composed("", [wanted[made]])
    if structured.wants_json(request.response_format):
        return Composed(_json(request, conversation, prompt, marked))
    return Composed(_text(conversation, prompt, since, marked))


def _place_of_prompt(conversation: list[Message]) -> int:
    users = [place for place, message in enumerate(conversation) if message.role is Speaker.USER]
    return users[-1] if users else len(conversation) - 1


def _json(request: ModelRequest, conversation: list[Message], prompt: str, marked: Markers) -> str:
    if marked.has("bad-json"):
        return BAD_JSON
    if translations.is_wanted(request.response_format) and (done := translations.translate(conversation, marked)):
        return json.dumps(done, ensure_ascii=False)
    if knowledge.is_wanted(request.response_format) and (found := knowledge.find(conversation)):
        return json.dumps(found, ensure_ascii=False)
    if not isinstance(request.response_format, JsonSchema):
        return json.dumps({"simulated": True, "prompt": prompt}, ensure_ascii=False)
    said = "\n".join(text_of(message.content) for message in conversation if message.role is not Speaker.SYSTEM)
    try:
        write = fields.write if fields.is_wanted(request.response_format) else instances.write
        return json.dumps(write(request.response_format.named.schema, said), ensure_ascii=False)
    except instances.CannotWrite:
        return BAD_JSON


def _text(conversation: list[Message], prompt: str, since: list[Message], marked: Markers) -> str:
    if found := sources.read(conversation):
        answer = sources.answer(found, f"{prompt} {sources.names(conversation)}", false_quote=marked.has("false-quote"))
        return f"{_INTRODUCTION} " + (answer or "The sources do not mention it.")
    if results := [text_of(message.content) for message in since if message.role is Speaker.TOOL]:
        said = " ".join(f"Tool result {number}: {_beginning(text)}" for number, text in enumerate(results, 1))
        return f"{_INTRODUCTION} {said}"
    images = sum(isinstance(part, ImagePart) for message in conversation for part in message.content or () if not isinstance(part, str))  # fmt: skip
    shown = f" You showed {images} image{'s' if images > 1 else ''}." if images else ""
    return f"{_INTRODUCTION}{shown} You said: {prompt}"


def _beginning(text: str) -> str:
    return text if len(text) <= _MAX_RESULT else text[:_MAX_RESULT] + "…"
