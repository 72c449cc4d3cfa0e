"""Which tools a prompt asks for, and with which arguments: the rules are in the package's docstring."""

import json
import re
from typing import Any

import msgspec

from teamspace.ai.domain.simulated import instances
from teamspace.ai.domain.simulated.markers import ForcedCall
from teamspace.completions import Function, FunctionCall, FunctionChoice, ModelRequest, ToolCall

_CLAUSE = r"(?:^|[.!?;:,\n]\s?|\b(?:please|then|and|you|to)\s)"
"""Where a command can begin."""
_MAX_PROMPT = 20_000
_MAX_COMMANDS = 20
_TITLE = re.compile(r"\b(?:titled|called|named|title)\s(.{1,300}?)(?=\s(?:saying|containing|with|that says)\b|[.,;\n]|$)", re.IGNORECASE)  # fmt: skip
_BODY = re.compile(r"\b(?:saying|containing|that says|with the (?:text|body|content)|with content)\s(.+)", re.IGNORECASE | re.DOTALL)  # fmt: skip
_ID = re.compile(r"\b(?=[\w-]*\d)[\w-]{2,64}\b")
_FILLER = re.compile(r"^(?:[\s:,]|(?:for|about|on|the|a|an|with|of|in)\b)+", re.IGNORECASE)
_NAMED = re.compile(r",\s?\w{1,40}\s?[:=]")
"""Where another parameter is given by its name."""
_TITLES, _BODIES = frozenset({"title", "name", "key", "filename"}), frozenset({"body", "text", "content"})


class _Command(msgspec.Struct, frozen=True):
    place: int
    length: int
    """Of the words that name the tool: `search for` is one word, `create a note` two."""
    end: int
    tool: Function


def calls(request: ModelRequest, prompt: str, forced: list[ForcedCall]) -> list[ToolCall]:
    """Return the calls that the prompt asks for, in their order; one is made in each round."""
    if forced:
        return [_call(number, call.tool, call.arguments) for number, call in enumerate(forced, 1)]
    tools = [tool.function for tool in request.tools]
    if not tools or request.tool_choice == "none":
        return []
    prompt = prompt[:_MAX_PROMPT]
    if isinstance(request.tool_choice, FunctionChoice):
        wanted = request.tool_choice.function.name
        tools = [tool for tool in tools if tool.name == wanted]
    found = _commands(tools, prompt)
    if not found and tools and request.tool_choice not in (None, "auto"):
        found = [_Command(0, 0, 0, tools[0])]
    ends = [*(command.place for command in found[1:]), len(prompt)]
    return [
        _call(number, command.tool.name, _arguments(command.tool, prompt[command.end : end]))
        for number, (command, end) in enumerate(zip(found, ends, strict=False), 1)
    ]


def _call(number: int, name: str, arguments: dict[str, Any]) -> ToolCall:
    return ToolCall(f"call_{number}", FunctionCall(name, json.dumps(arguments, ensure_ascii=False)))


def _commands(tools: list[Function], prompt: str) -> list[_Command]:
    """Return where the prompt names a tool, the more exact name first where several match."""
    found = []
    for tool in tools[:100]:
        words = [re.escape(word) for word in re.split(r"[_-]+", tool.name) if word]
        spoken = r"\s(?:(?:a|an|the|my|new)\s){0,2}".join(words)
        named = re.compile(rf"{_CLAUSE}(?:(?:use|call|run)\s{re.escape(tool.name)}|{spoken})\b", re.IGNORECASE)
        found += [_Command(match.start(), len(words), match.end(), tool) for match in named.finditer(prompt)]
    found.sort(key=lambda command: (command.place, -command.length))
    first = {command.place: command for command in reversed(found)}
    return [first[place] for place in sorted(first)][:_MAX_COMMANDS]


def _arguments(tool: Function, text: str) -> dict[str, Any]:
    """Fill the parameters of a tool from what follows its name."""
    if (given := _json(text)) is not None:
        return given
    properties: dict[str, Any] = tool.parameters.get("properties", {})
    required = tool.parameters.get("required", [])
    said: dict[str, Any] = {}
    for name, schema in properties.items():
        if (value := _said(name, schema, text, required=name in required)) is not None:
            said[name] = value
    return {name: said[name] for name in properties if name in said}


def _json(text: str) -> dict[str, Any] | None:
    begin = text.find("{")
    if begin < 0 or text[:begin].strip(" :,") not in ("", "with"):
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(text, begin)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _said(name: str, schema: Any, text: str, *, required: bool) -> Any:
    """Return the value of one parameter; None if the text has none and it is optional."""
    if not isinstance(schema, dict):
        return None
    is_text = "enum" not in schema and schema.get("type", "string") == "string"
    if is_text and (said := _text(name, text, required=required)):
        return said
    try:
        value = instances.write({"properties": {name: schema}, "required": [name] if required else []}, text)
    except instances.CannotWrite:
        return None
    return value.get(name)


def _text(name: str, text: str, *, required: bool) -> str:
    if name in _TITLES and (match := _TITLE.search(text)):
        return match[1].strip(" \"'")
    if name in _BODIES and (match := _BODY.search(text)):
        return match[1].strip(" \"'")
    if not required:
        return ""
    if (name == "id" or name.endswith("_id")) and (match := _ID.search(text)):
        return match[0]
    return _NAMED.split(_FILLER.sub("", text))[0].strip().rstrip(".!?,;").strip(" \"'")
