"""Answer from the sources in a conversation, with a citation."""

import re
from collections.abc import Iterator

import msgspec

from teamspace.completions import Message, Speaker, text_of

_BEGIN, _END = re.compile(r'<source id="(\d{1,6})"[^<>]{0,2000}>'), "</source>"
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


def read(conversation: list[Message]) -> list[QuotableSource]:
    """Return the sources of prompts and tool results; instructions may show the format, with none."""
    texts = (text_of(message.content) for message in conversation if message.role is not Speaker.SYSTEM)
    return [QuotableSource(begin[1], text[begin.end() : end]) for text in texts for begin, end in _found(text)]


def without(text: str) -> str:
    """Return a prompt without the sources in it."""
    kept, place = "", 0
    for begin, end in _found(text):
        kept += text[place : begin.start()]
        place = end + len(_END)
    return kept + text[place:]


def _found(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """Yield where each source begins, and where its text ends."""
    place = 0
    while (begin := _BEGIN.search(text, place)) and (end := text.find(_END, begin.end())) >= 0:
        yield begin, end
        place = end


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
