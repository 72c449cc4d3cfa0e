"""Divides texts into segments, the units of translation, and what stays between them: blank lines, markers, code."""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from teamspace.core.errors import BadRequest
from teamspace.translation.domain import icu, parts
from teamspace.translation.domain.parts import Part, PartKind

MAX_SEGMENTS = 5_000
MAX_CHARACTERS = 4_000
"""Longer paragraphs are divided after a sentence. An ICU message never is."""
MARKER = re.compile(
    r"[ \t]{0,40}(?:(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|\#{1,6}(?=[ \t]))[ \t]{0,40}){1,10}+(?:\[[ xX]\][ \t])?"
)
"""The beginning of a line that makes it a quote, a list item or a heading."""
_FENCE = re.compile(r"[ \t]{0,40}(`{3,}|~{3,})")
_CELLS = re.compile(r"(?<!\\)(\|)")
_SENTENCE_END = re.compile(r"[.!?\u2026]['\")\]]?\s|[\u3002\uff01\uff1f]|\n")


class Segment(msgspec.Struct, frozen=True):
    """A unit of translation, without the space around it."""

    source: str
    parts: tuple[Part, ...]
    masked: str
    """What the model sees: tokens stand for what must stay."""
    kept: tuple[str, ...]
    message: icu.IcuMessage | None = None


class Layout(msgspec.Struct, frozen=True):
    """Texts as sequences of fixed text and numbers of segments. Equal segments have one number."""

    texts: dict[str, list[str | int]]
    segments: list[Segment]

    def assemble(self, translations: Sequence[str]) -> dict[str, str]:
        return {
            key: "".join(translations[piece] if isinstance(piece, int) else piece for piece in pieces)
            for key, pieces in self.texts.items()
        }


def lay_out(texts: Mapping[str, str]) -> Layout:
    """Divide texts into segments; raise BadRequest if there are too many."""
    layout, numbers = Layout({}, []), dict[str, int]()
    for key, text in texts.items():
        pieces = layout.texts.setdefault(key, [])
        for piece in _pieces(text):
            if isinstance(piece, str):
                pieces.append(piece)
                continue
            number = numbers.setdefault(piece.source, len(numbers))
            if number == len(layout.segments):
                layout.segments.append(piece)
                if len(layout.segments) > MAX_SEGMENTS:
                    raise BadRequest("translation.segments", limit=MAX_SEGMENTS)
            pieces.append(number)
    return layout


def _pieces(text: str) -> Iterator[str | Segment]:
    if message := icu.parse_with_choices(text):
        yield from _segment(tuple(parts.divide_message(message)), message)
        return
    for block, is_fixed in _blocks(text):
        if is_fixed:
            yield block
        else:
            for chunk in _chunks(parts.divide(block)):
                yield from _segment(tuple(chunk))


def _segment(divided: tuple[Part, ...], message: icu.IcuMessage | None = None) -> Iterator[str | Segment]:
    """Yield the segment and the space around it; a text without words as it is."""
    whole = "".join(part.text for part in divided)
    if not parts.has_words(divided):
        yield whole
        return
    source = whole.strip()
    begin = whole.index(source)
    if begin:
        yield whole[:begin]
    trimmed = _trim(divided)
    yield Segment(source, trimmed, *parts.mask(trimmed), message)
    if begin + len(source) < len(whole):
        yield whole[begin + len(source) :]


def _trim(divided: tuple[Part, ...]) -> tuple[Part, ...]:
    """Remove the space around; it can only be in the first and the last parts that are text."""
    kept = list(divided)
    while kept and not kept[0].text.strip():
        kept.pop(0)
    while kept and not kept[-1].text.strip():
        kept.pop()
    if kept:
        kept[0] = Part(kept[0].kind, kept[0].text.lstrip())
        kept[-1] = Part(kept[-1].kind, kept[-1].text.rstrip())
    return tuple(kept)


def _blocks(text: str) -> Iterator[tuple[str, bool]]:
    """Yield paragraphs, list items, headings and table cells; and with True, what is between them."""
    paragraph, fence = "", ""
    for line in text.splitlines(keepends=True):
        opening = _FENCE.match(line)
        is_fixed = bool(fence or opening) or not any(map(str.isalpha, line))
        marker = None if is_fixed else MARKER.match(line)
        if paragraph and (is_fixed or marker or _is_row(line)):
            yield paragraph, False
            paragraph = ""
        if is_fixed:
            yield line, True
            fence = _next_fence(fence, opening, line)
            continue
        if _is_row(line):
            yield from ((cell, cell == "|") for cell in _CELLS.split(line) if cell)
            continue
        if marker:
            yield marker[0], True
        paragraph += line[marker.end() :] if marker else line
        if marker and "#" in marker[0]:
            yield paragraph, False
            paragraph = ""
    if paragraph:
        yield paragraph, False


def _is_row(line: str) -> bool:
    """Whether a line is a row of a table."""
    return line.lstrip().startswith("|")


def _next_fence(fence: str, line_fence: re.Match[str] | None, line: str) -> str:
    """Return the fence that the following lines are in, or an empty text."""
    if not fence:
        return line_fence[1] if line_fence else ""
    closes = line_fence and line_fence[1].startswith(fence) and not line[line_fence.end() :].strip()
    return "" if closes else fence


def _chunks(divided: Sequence[Part]) -> Iterator[list[Part]]:
    """Divide a long paragraph after sentences, never inside a part that stays."""
    chunk, size = list[Part](), 0
    for part in divided:
        for piece in _bounded(part):
            if chunk and size + len(piece.text) > MAX_CHARACTERS:
                yield chunk
                chunk, size = [], 0
            chunk.append(piece)
            size += len(piece.text)
    if chunk:
        yield chunk


def _bounded(part: Part) -> Iterator[Part]:
    text = part.text
    while part.kind is PartKind.TEXT and len(text) > MAX_CHARACTERS:
        end = _last_break(text[:MAX_CHARACTERS])
        yield Part(PartKind.TEXT, text[:end])
        text = text[end:]
    yield Part(part.kind, text)


def _last_break(text: str) -> int:
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    return ends[-1] if ends else text.rfind(" ") + 1 or len(text)
