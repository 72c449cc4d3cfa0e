"""Simulated extraction of entities and relations: capitalised names, told apart by simple signs."""

import re
from typing import Any

import msgspec

from teamspace.completions import JsonSchema, Message, ResponseFormat, Speaker, text_of
from teamspace.completions.errors import MALFORMED

NAME = "knowledge"
_SENTENCE = re.compile(r"[^\s.!?](?:[^.!?\n]|[.!?](?=\S)){0,400}[.!?]?")
_CAPITALISED = r"[^\W\d_a-z\u00df-\u00f6\u00f8-\u00ff][\w'&-]*"
_NAMED = re.compile(
    r"(?P<event>\b\d{4}-\d\d-\d\d\b)|(?:\b(?P<before>in|at|from|to|near) )?"
    rf"(?P<name>\b{_CAPITALISED}(?: (?:of |de |van |von )?{_CAPITALISED}){{0,4}})"
)
_ORGANISATION = re.compile(
    r"(?:\b(?:Ltd|Inc|GmbH|AG|Corp|LLC|BV|SA|Company|Group|Bank|University|Institute|Council|Agency|Association)|"
    r"Works|Lines)$"
)
_PRODUCT = re.compile(r"\b(?:[A-Z]+[-]?\d+|\w+ (?:Pro|Plus|Mini|Max))$")
_DOCUMENT = re.compile(r"\b(?:Contract|Report|Agreement|Invoice|Treaty|Act|Policy)$")
_COMMON = frozenset(
    [
        "a",
        "after",
        "an",
        "and",
        "as",
        "at",
        "before",
        "but",
        "by",
        "for",
        "from",
        "he",
        "her",
        "his",
        "i",
        "if",
        "in",
        "it",
        "its",
        "later",
        "no",
        "not",
        "now",
        "of",
        "on",
        "or",
        "our",
        "she",
        "so",
        "that",
        "the",
        "their",
        "then",
        "there",
        "they",
        "this",
        "to",
        "today",
        "we",
        "when",
        "where",
        "who",
        "with",
        "you",
        "your",
    ]
)
_MAX_SENTENCES, _MAX_FOUND, _MAX_WORDS_BETWEEN = 500, 200, 6


class _Task(msgspec.Struct, frozen=True):
    text: str


def is_wanted(wanted: ResponseFormat | None) -> bool:
    return isinstance(wanted, JsonSchema) and wanted.named.name == NAME


def find(conversation: list[Message]) -> dict[str, Any] | None:
    """Return the entities and relations of the newest message that has a text; None if there is none."""
    for message in reversed(conversation):
        if message.role is Speaker.USER and (task := _task(text_of(message.content))):
            return _read(task.text)
    return None


def _task(text: str) -> _Task | None:
    try:
        return msgspec.json.decode(text, type=_Task)
    except MALFORMED:
        return None


def _read(text: str) -> dict[str, Any]:
    entities, relations = [], []
    for _, sentence in zip(range(_MAX_SENTENCES), _SENTENCE.finditer(text), strict=False):
        quote, last = sentence[0], None
        for found in _NAMED.finditer(quote):
            name = found["event"] or _without_common(found["name"])
            if (kind := "event" if found["event"] else _kind(name, found["before"])) is None:
                continue
            place = found.end() - len(name)
            entities.append({"type": kind, "name": name, "quote": quote})
            if last and (verb := _between(quote[last[1] : place])):
                relations.append({"subject": last[0], "predicate": verb, "object": name, "quote": quote})
            last = (name, found.end())
    return {"entities": entities[:_MAX_FOUND], "relations": relations[:_MAX_FOUND]}


def _without_common(name: str) -> str:
    """Return a name without a word before it that has its capital from the beginning of the sentence."""
    first, _, rest = name.partition(" ")
    return rest if first.lower() in _COMMON else name


def _kind(name: str, before: str | None) -> str | None:
    if len(name) < 2:
        return None
    if _ORGANISATION.search(name):
        return "organisation"
    if _DOCUMENT.search(name):
        return "document"
    if _PRODUCT.search(name):
        return "product"
    if " " in name:
        return "person"
    return "place" if before else "concept"


def _between(text: str) -> str:
    words = text.split()
    return " ".join(words) if 0 < len(words) <= _MAX_WORDS_BETWEEN else ""
