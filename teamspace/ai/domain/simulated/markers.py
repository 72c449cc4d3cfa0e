"""Markers in prompts that make the simulated model misbehave."""

import json
import re
from itertools import islice
from typing import Any

import msgspec

from teamspace.completions import Message, Speaker, text_of

_MARKER = re.compile(
    r"\[simulate:(stop|hang|fail|slow|bad-json|lose-placeholder|false-quote)(?::(\d{1,4}))?\]"
    r"|\[simulate:tool:([a-zA-Z0-9_-]{1,64}) ?(?=[{\]])"
)
_ANY = re.compile(r"\[simulate:[^\[\]]{0,200}\]")
_MAX_MARKERS = 100


class ForcedCall(msgspec.Struct, frozen=True):
    tool: str
    arguments: dict[str, Any]


class Markers(msgspec.Struct, frozen=True):
    """What the last prompt asks for, by marker: its number, or None."""

    numbers: dict[str, int | None] = {}
    calls: list[ForcedCall] = []
    answers: int = 0
    """How often the prompt was answered before: a bad answer is sent back for its repair."""

    def has(self, name: str, *, more_answers: int = 0) -> bool:
        """Whether the marker is set for this answer: a number limits it to the first ones."""
        if name not in self.numbers:
            return False
        number = self.numbers[name]
        return number is None or self.answers + more_answers < number


def read(conversation: list[Message]) -> Markers:
    """Read the markers of the newest message that has any."""
    answers = 0
    for message in reversed(conversation):
        if message.role is Speaker.ASSISTANT:
            answers += 1
        elif message.role is Speaker.USER and "[simulate:" in (text := text_of(message.content)):
            return _read(text, answers)
    return Markers()


def without(text: str) -> str:
    """Return a prompt without the markers in it."""
    return _ANY.sub("", text) if "[simulate:" in text else text


def _read(text: str, answers: int) -> Markers:
    numbers: dict[str, int | None] = {}
    calls = []
    for match in islice(_MARKER.finditer(text), _MAX_MARKERS):
        if match[3]:
            calls.append(ForcedCall(match[3], _object(text, match.end())))
        else:
            numbers[match[1]] = int(match[2]) if match[2] else None
    return Markers(numbers, calls, answers)


def _object(text: str, start: int) -> dict[str, Any]:
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
