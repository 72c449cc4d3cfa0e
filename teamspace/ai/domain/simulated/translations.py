"""Simulated translations: every segment as it is, marked with the language, and with the glossary's terms."""

import re
from typing import Any

import msgspec

from teamspace.completions import JsonSchema, Message, ResponseFormat, Speaker, text_of
from teamspace.completions.errors import MALFORMED

NAME = "translation"
_KEPT = re.compile(r"(\{\{[^{}]*\}\}|\{[^{}]*\}|<[^<>]*>|%\(\w+\)[a-z]|%[sd]|\$\{\w+\}|https?://\S+)")
"""Placeholders, markup and addresses."""


class _Segment(msgspec.Struct, frozen=True):
    id: str | int
    text: str


class _Task(msgspec.Struct, frozen=True):
    target: str
    segments: list[_Segment]
    glossary: list[dict[str, Any]] = []


def is_wanted(wanted: ResponseFormat | None) -> bool:
    return isinstance(wanted, JsonSchema) and wanted.named.name == NAME


def translate(conversation: list[Message], *, lose_placeholder: bool) -> dict[str, Any] | None:
    """Translate the segments of the newest message that has some; None if there is none."""
    for message in reversed(conversation):
        if message.role is Speaker.USER and (task := _task(text_of(message.content))):
            terms = _terms(task.glossary)
            return {
                "segments": [
                    {"id": one.id, "text": f"[{task.target}] {_translated(one.text, terms, lose_placeholder)}"}
                    for one in task.segments
                ]
            }
    return None


def _task(text: str) -> _Task | None:
    begin, end = text.find("{"), text.rfind("}") + 1
    try:
        return msgspec.json.decode(text[begin:end], type=_Task) if 0 <= begin < end else None
    except MALFORMED:
        return None


def _terms(glossary: list[dict[str, Any]]) -> dict[str, str]:
    pairs = ((entry.get("term"), entry.get("translation")) for entry in glossary)
    return {term.lower(): other for term, other in pairs if isinstance(term, str) and term and isinstance(other, str)}


def _translated(text: str, terms: dict[str, str], lose_placeholder: bool) -> str:
    parts = _KEPT.split(text)  # every second one is kept
    if lose_placeholder and len(parts) > 1:
        parts[1] = ""
    if terms:
        longest_first = sorted(terms, key=len, reverse=True)
        known = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)
        parts[::2] = [known.sub(lambda match: terms.get(match[0].lower(), match[0]), part) for part in parts[::2]]
    return "".join(parts)
