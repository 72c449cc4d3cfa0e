"""Simulated translations: every segment as it is, marked with the language, and with the glossary's terms."""

import re
from typing import Any

import msgspec

from teamspace.ai.domain.simulated.markers import Markers
from teamspace.completions import JsonSchema, Message, ResponseFormat, Speaker, text_of
from teamspace.completions.errors import MALFORMED

NAME = "translation"
_KEPT = re.compile(r"(\{\{[^{}]*\}\}|\{[^{}]*\}|<[^<>]*>|%\(\w+\)[a-z]|%[sd]|\$\{\w+\}|https?://\S+|⟦\s?\d{1,5}\s?⟧)")
"""Placeholders, markup, addresses, and tokens that stand for these."""


class _Segment(msgspec.Struct, frozen=True):
    id: str | int
    text: str
    problems: list[str] = []
    """Of an earlier translation, which is sent back."""


class _Task(msgspec.Struct, frozen=True):
    target: str
    segments: list[_Segment]
    glossary: list[dict[str, Any]] = []


def is_wanted(wanted: ResponseFormat | None) -> bool:
    return isinstance(wanted, JsonSchema) and wanted.named.name == NAME


def translate(conversation: list[Message], marked: Markers) -> dict[str, Any] | None:
    """Translate the segments of the newest message that has some; None if there is none."""
    for message in reversed(conversation):
        if message.role is Speaker.USER and (task := _task(text_of(message.content))):
            terms = _terms(task.glossary)
            segments = []
            for one in task.segments:
                lose = marked.has("lose-placeholder", more_answers=bool(one.problems))
                text = f"[{task.target}] {_translated(one.text, terms, lose_placeholder=lose)}"
                segments.append({"id": one.id, "text": text})
            return {"segments": segments}
    return None


def _task(text: str) -> _Task | None:
    begin, end = text.find("{"), text.rfind("}") + 1
    try:
        return msgspec.json.decode(text[begin:end], type=_Task) if 0 <= begin < end else None
    except MALFORMED:
        return None


def _terms(glossary: list[dict[str, Any]]) -> dict[str, str]:
    pairs = ((entry.get("term"), entry.get("translation")) for entry in glossary)
    return {str(term).lower(): str(other) for term, other in pairs if term and other}


def _translated(text: str, terms: dict[str, str], *, lose_placeholder: bool) -> str:
    parts = _KEPT.split(text)  # every second one is kept
    if lose_placeholder and len(parts) > 1:
        parts[1] = ""
    if terms:
        longest_first = sorted(terms, key=len, reverse=True)
        known = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)
        parts[::2] = [known.sub(lambda match: terms.get(match[0].lower(), match[0]), part) for part in parts[::2]]
    return "".join(parts)
