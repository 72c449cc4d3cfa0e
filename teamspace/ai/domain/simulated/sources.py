"""Answer from the sources in a conversation, with a citation."""

import re
from collections.abc import Iterator

import msgspec

from teamspace.completions import Message, Speaker, text_of

_BEGIN = re.compile(r'<(source|entity) id="(\d{1,6})"[^<>]{0,2000}>')
_NAME = re.compile(r'"name":"((?:[^"\\]|\\.){1,1000})"')
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"\w{3,}")
_COMMON = re.compile(
    r"about|and|are|can|does|for|from|has|have|how|its|our|says|tell|that|the|their|there|this|was|what|when|where|which"
    r"|who|why|will|with|you|your"
)
_MAX_QUOTE = 200
FALSE_QUOTE = "these words are in no source"


class QuotableSource(msgspec.Struct, frozen=True):
    id: str
    text: str


class _Block(msgspec.Struct, frozen=True):
    """A source or an entity in a text."""

    type: str
    id: str
    content: str
    start: int
    end: int


def read(conversation: list[Message]) -> list[QuotableSource]:
    """Return the sources of prompts and tool results; instructions may show the format, with none."""
    return [QuotableSource(block.id, block.content) for block in _all_blocks(conversation) if block.type == "source"]


def names(conversation: list[Message]) -> str:
    """Return the names of the entities in prompts: what a question that names nothing is about."""
    found = (_NAME.search(block.content) for block in _all_blocks(conversation) if block.type == "entity")
    return " ".join(name[1] for name in found if name)


def without(text: str) -> str:
    """Return a prompt without the sources and entities in it."""
    kept, place = "", 0
    for block in _blocks(text):
        kept += text[place : block.start]
        place = block.end
    return kept + text[place:]


def _all_blocks(conversation: list[Message]) -> Iterator[_Block]:
    for message in conversation:
        if message.role is not Speaker.SYSTEM:
            yield from _blocks(text_of(message.content))


def _blocks(text: str) -> Iterator[_Block]:
    place = 0
    while begin := _BEGIN.search(text, place):
        closing = f"</{begin[1]}>"
        if (end := text.find(closing, begin.end())) < 0:
            return
        place = end + len(closing)
        yield _Block(begin[1], begin[2], text[begin.end() : end], begin.start(), place)


def answer(sources: list[QuotableSource], prompt: str, *, false_quote: bool) -> str | None:
    """Return the sentence that has most words of the prompt, with a citation; None if none has any."""
    wanted = _words(prompt)
    best, best_score, best_source = "", 0, ""
    for source in sources:
        for sentence in _SENTENCE_END.split(source.text):
            if (score := len(wanted & _words(sentence))) > best_score:
                best, best_score, best_source = sentence.strip(), score, source.id
    if not best:
        return None
    quote = FALSE_QUOTE if false_quote else _quotable(best)
    return f'{best} [^{best_source}: "{quote}"]'


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if not _COMMON.fullmatch(word)}


def _quotable(sentence: str) -> str:
    """Return the longest part of a sentence without quotation marks, cut between words."""
    part = max(sentence.split('"'), key=len).strip()
    return part if len(part) <= _MAX_QUOTE else part[:_MAX_QUOTE].rsplit(" ", 1)[0]
