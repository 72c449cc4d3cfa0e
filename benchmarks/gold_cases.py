"""The gold set: requests to a model with known right answers, in four groups."""

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from teamspace.completions import (
    Function,
    FunctionTool,
    JsonSchema,
    ModelAnswer,
    ModelRequest,
    NamedSchema,
)

Judge = Callable[[ModelAnswer], str | None]
"""Returns what is wrong with an answer, or None."""


class Case(NamedTuple):
    group: str
    name: str
    request: ModelRequest
    judge: Judge


# Fields


def _fields(name: str, text: str, types: dict[str, Any], right: dict[str, Any]) -> Case:
    schema = {"type": "object", "properties": types, "required": [*types], "additionalProperties": False}
    request = ModelRequest(
        f"Extract the fields from this text.\n\n{text}", temperature=0, max_tokens=400,
        response_format=JsonSchema(NamedSchema(schema, "fields", strict=True)),
    )  # fmt: skip

    def judge(answer: ModelAnswer) -> str | None:
        wrong = [key for key, value in right.items() if _plain(answer.parsed.get(key)) != _plain(value)]
        return f"{wrong[0]} is {answer.parsed.get(wrong[0])!r}, not {right[wrong[0]]!r}" if wrong else None

    return Case("fields", name, request, judge)


def _plain(value: Any) -> Any:
    return value.strip().rstrip(".").lower() if isinstance(value, str) else value


_TEXT, _NUMBER, _WHOLE, _FLAG = {"type": "string"}, {"type": "number"}, {"type": "integer"}, {"type": "boolean"}
_DATE, _EMAIL = {"type": "string", "format": "date"}, {"type": "string", "format": "email"}

FIELDS = [
    _fields(
        "invoice", "INVOICE\nInvoice number: RE-2231\nDate: 2026-03-01\nTotal: 1,204.50\nCurrency: EUR",
        {"invoice_number": _TEXT, "date": _DATE, "total": _NUMBER, "currency": {"enum": ["USD", "EUR", "GBP"]}},
        {"invoice_number": "RE-2231", "date": "2026-03-01", "total": 1204.5, "currency": "EUR"},
    ),
    _fields(
        "order", "Order: 5512\nQuantity: 12\nArticle: rope, 20 m\nExpress: no",
        {"order": _WHOLE, "quantity": _WHOLE, "express": _FLAG}, {"order": 5512, "quantity": 12, "express": False},
    ),
    _fields(
        "contact", "Please write to our purchasing team at ada@example.org before noon.",
        {"email": _EMAIL}, {"email": "ada@example.org"},
    ),
    _fields(
        "ticket", "Ticket: The printer on floor 2 is broken.\nPriority: high\nTags: printer, hardware",
        {"priority": {"enum": ["low", "normal", "high"]}, "tags": {"type": "array", "items": _TEXT}},
        {"priority": "high", "tags": ["printer", "hardware"]},
    ),
    _fields(
        "article number", "We need forty pieces of ABC-1234 and will collect them.",
        {"article": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"}}, {"article": "ABC-1234"},
    ),
    _fields(
        "prose", "The crew of seven left Kiel in the evening and reached Oslo two days later.",
        {"crew": _WHOLE, "from": _TEXT, "to": _TEXT}, {"crew": 7, "from": "Kiel", "to": "Oslo"},
    ),
]  # fmt: skip


# Translations

_SEGMENTS_SCHEMA = {
    "type": "object", "required": ["segments"], "additionalProperties": False,
    "properties": {"segments": {"type": "array", "items": {
        "type": "object", "required": ["id", "text"], "additionalProperties": False,
        "properties": {"id": _TEXT, "text": _TEXT},
    }}},
}  # fmt: skip
_TRANSLATE = (
    "Translate the segments from the source to the target language. Keep placeholders, markup, numbers and addresses as "
    "they are, and use the translations of the glossary. Answer with the same ids."
)
_KEPT = re.compile(r"\{\{\w+\}\}|\{\w+\}|</?\w+>|%[sd]|https?://\S+|\d+")


def _translation(name: str, target: str, *texts: str, glossary: dict[str, str] | None = None) -> Case:
    segments = [{"id": str(number), "text": text} for number, text in enumerate(texts, 1)]
    terms = [{"term": term, "translation": other} for term, other in (glossary or {}).items()]
    task = {"source": "en", "target": target, "segments": segments, "glossary": terms}
    request = ModelRequest(
        json.dumps(task, ensure_ascii=False), _TRANSLATE, temperature=0, max_tokens=800,
        response_format=JsonSchema(NamedSchema(_SEGMENTS_SCHEMA, "translation", strict=True)),
    )  # fmt: skip

    def judge(answer: ModelAnswer) -> str | None:
        translated = {segment["id"]: segment["text"] for segment in answer.parsed["segments"]}
        if list(translated) != [segment["id"] for segment in segments]:
            return "the ids differ"
        for segment in segments:
            text = translated[segment["id"]]
            if Counter(_KEPT.findall(text)) != Counter(_KEPT.findall(segment["text"])):
                return f"placeholders, markup or numbers differ: {text}"
            if text == segment["text"]:
                return f"not translated: {text}"
        missing = [
            other for other in (glossary or {}).values() if other.lower() not in " ".join(translated.values()).lower()
        ]
        return f"the glossary's {missing[0]} is missing" if missing else None

    return Case("translation", name, request, judge)


TRANSLATIONS = [
    _translation("plain", "de", "The boat is in the harbour."),
    _translation("placeholders", "es", "Hello {name}, you have {count} new messages.", "See you, {name}!"),
    _translation("markup", "nl", "Press <b>Save</b> to keep your <em>changes</em>."),
    _translation("numbers", "is", "Order 5512: 12 ropes of 20 metres."),
    _translation("glossary", "de", "Open the workspace.", "A workspace has members.", glossary={"workspace": "Arbeitsbereich"}),
    _translation("everything", "de", "{{user}} shared <i>%s</i> at https://example.com/n/7", glossary={"shared": "teilte"}),
]  # fmt: skip


# Tools


def _tool(name: str, description: str, **properties: Any) -> FunctionTool:
    parameters = {"type": "object", "properties": properties, "required": [*properties]}
    return FunctionTool(Function(name, description, parameters))


_TOOLS = [
    _tool("search", "Search notes and documents of the team.", query=_TEXT),
    _tool("read_note", "Read a note.", note_id=_TEXT),
    _tool("create_note", "Create a note.", title=_TEXT, body=_TEXT),
    _tool("word_count", "Count the words of a text.", text=_TEXT),
]


def _tools(name: str, prompt: str, tool: str | None, **right: str) -> Case:
    """Arguments are right if they contain these words."""
    request = ModelRequest(prompt, "Use a tool if it helps; otherwise answer.", temperature=0, max_tokens=400, tools=_TOOLS)  # fmt: skip

    def judge(answer: ModelAnswer) -> str | None:
        called = [call.function.name for call in answer.tool_calls]
        if called[:1] != ([tool] if tool else []):
            return f"called {called or 'no tool'}, not {tool or 'none'}"
        arguments = json.loads(answer.tool_calls[0].function.arguments) if tool else {}
        wrong = [key for key, words in right.items() if words.lower() not in str(arguments.get(key, "")).lower()]
        return f"{wrong[0]} is {arguments.get(wrong[0])!r}" if wrong else None

    return Case("tools", name, request, judge)


TOOLS = [
    _tools("search", "Search for the budget of 2026.", "search", query="budget"),
    _tools("search, in other words", "Where did we write down the opening hours?", "search", query="opening hours"),
    _tools("read", "Read note n_0193ab and tell me what it says.", "read_note", note_id="n_0193ab"),
    _tools(
        "create", "Create a note titled Harbour saying The fee is 5 EUR.", "create_note", title="Harbour", body="5 EUR"
    ),
    _tools("count", "Use word_count: one two three", "word_count", text="one two three"),
    _tools("no tool", "Say hello.", None),
]


# Citations

_CITE = (
    'Answer from the sources only. After each claim, cite its source as [^1: "exact words"], with the id of the source '
    "and words copied exactly from it."
)
_SOURCES = {
    "1": "The harbour opens at 6 in the morning. A berth costs 5 EUR per day. Dogs are welcome.",
    "2": "Our library lends books for four weeks.\nLate books cost 20 cents per day and book.",
    "3": "The annual budget of the club is 12,000 EUR, of which half goes into the boats.",
}
_MARKER = re.compile(r'\[\^(\d+): "([^"]+)"\]')


def _cited(name: str, question: str, source: str, words: str) -> Case:
    blocks = "\n".join(f'<source id="{id}" title="Source {id}">{text}</source>' for id, text in _SOURCES.items())
    request = ModelRequest(f"{blocks}\n\n{question}", _CITE, temperature=0, max_tokens=400)

    def judge(answer: ModelAnswer) -> str | None:
        quotes = _MARKER.findall(answer.text)
        if not quotes:
            return "cites nothing"
        false = [quote for id, quote in quotes if quote not in _SOURCES.get(id, "")]
        if false:
            return f"not in the source: {false[0]}"
        if source not in {id for id, _ in quotes}:
            return f"does not cite source {source}"
        return None if words.lower() in answer.text.lower() else f"does not say {words}"

    return Case("citations", name, request, judge)


CITATIONS = [
    _cited("price", "What does a berth cost per day?", "1", "5 EUR"),
    _cited("opening", "When does the harbour open?", "1", "6"),
    _cited("loan", "For how many weeks does the library lend books?", "2", "four weeks"),
    _cited("late books", "What do late books cost?", "2", "20 cents"),
    _cited("budget", "How large is the annual budget of the club?", "3", "12,000 EUR"),
    _cited("in other words", "May I bring my puppy?", "1", "welcome"),
]

CASES = [*FIELDS, *TRANSLATIONS, *TOOLS, *CITATIONS]
