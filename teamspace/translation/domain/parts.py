"""Divides a text into what is translated and what must stay: placeholders, tags, links, code, versions and dates.

Every pattern is bounded or excludes its own first character, so a text takes linear time whatever it contains.
"""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

import msgspec

from teamspace.translation.domain import icu


class PartKind(StrEnum):
    TEXT = "text"
    SYNTAX = "syntax"
    """Of an ICU message: visible to the model, which writes other plural forms, but not words."""
    PLACEHOLDER = "placeholder"
    TAG = "tag"
    LINK = "link"
    URL = "url"
    CODE = "code"
    FIGURE = "figure"
    """A version, date or time: digits that are no quantity."""


class Part(msgspec.Struct, frozen=True, gc=False):
    kind: PartKind
    text: str

    @property
    def is_kept(self) -> bool:
        return self.kind is not PartKind.TEXT and self.kind is not PartKind.SYNTAX


# The first alternative that matches wins, so longer forms come first.
_KEPT = re.compile(
    r"""
      (?P<code>   ``[^\n]{1,500}?`` | `[^`\n]{1,500}` | <(?P<element>code|pre|kbd|samp|script|style)\b[^<>]{0,1000}+>[^<]{0,5000}+</(?P=element)\s{0,9}> )
    | (?P<tag>    <!--[^<>]{0,1000}--> | </?[A-Za-z][\w:.-]{0,50}+(?:\s[^<>]{0,1000}+)?/?> | &(?:[A-Za-z]{2,10}|\#\d{1,6}|\#x[0-9A-Fa-f]{1,6}); )
    | (?P<link>   \]\((?:[^()\s]|\([^()\s]{0,200}+\)){0,2000}+(?:\s"[^"\n]{0,200}+")?\) | \]\[[^\[\]\n]{0,100}\] | ^\[[^\[\]\n]{1,100}\]: )
    | (?P<url>    <[A-Za-z][A-Za-z0-9+.-]{1,20}:[^<>\s]{1,2000}+> | \b(?:https?://|www\.)[^\s<>"\u27e6\u27e7]{1,2000}(?<![.,;:!?)\]'*_])
                | (?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5} )
    | (?P<placeholder> \{\{[^{}\n]{1,100}+\}\} | [$%]?\{[\w.-]{1,64}+(?:,[^{}\n]{0,100}+)?\}
                | %\([\w.]{1,64}\)[-+0\#\d.]{0,6}[A-Za-z] | %(?:\d{1,2}\$)?[-+0\#]{0,3}\d{0,3}(?:\.\d{1,3})?(?:hh|h|ll|l|L|z|j|t)?[sdiufFeEgGxXoc@](?![A-Za-z]{2}) | %%
                | \$[A-Za-z_]\w{0,63} | (?<![\w:/]):[A-Za-z_]\w{0,63} | [\u27e6\u27e7] )
    | (?P<figure> (?<![\w.])v?\d{1,9}(?:[.:/-]\d{1,9}){2,8}(?!\w) )
    """,
    re.VERBOSE | re.MULTILINE,
)
_OPEN, _CLOSE = "\u27e6", "\u27e7"
_TOKEN = re.compile(f"{_OPEN}\\s?(\\d{{1,5}})\\s?{_CLOSE}")
MASK_EXAMPLE = f"{_OPEN}1{_CLOSE}"


def divide(text: str) -> list[Part]:
    """Divide a text that is no ICU message."""
    parts, end = list[Part](), 0
    for match in _KEPT.finditer(text):
        if match.start() > end:
            parts.append(Part(PartKind.TEXT, text[end : match.start()]))
        parts.append(Part(PartKind(match.lastgroup or ""), match[0]))
        end = match.end()
    if end < len(text):
        parts.append(Part(PartKind.TEXT, text[end:]))
    return parts


def divide_message(message: icu.IcuMessage) -> list[Part]:
    """Divide an ICU message: its simple arguments stay, its branches are texts."""
    parts = list[Part]()
    for kind, text in message.pieces:
        if kind is icu.Piece.LITERAL:
            parts += divide(text)
        else:
            parts.append(Part(PartKind.PLACEHOLDER if kind is icu.Piece.ARGUMENT else PartKind.SYNTAX, text))
    return parts


def mask(parts: Sequence[Part]) -> tuple[str, tuple[str, ...]]:
    """Return the text with a token for each part that stays, and the parts that the tokens stand for."""
    numbers: dict[str, int] = {}
    masked = "".join(
        f"{_OPEN}{numbers.setdefault(part.text, len(numbers) + 1)}{_CLOSE}" if part.is_kept else part.text
        for part in parts
    )
    return masked, tuple(numbers)


def unmask(text: str, kept: Sequence[str]) -> str:
    """Put the parts back for their tokens. An unknown token stays, and the checks find it."""

    def part_of(match: re.Match[str]) -> str:
        number = int(match[1])
        return kept[number - 1] if 1 <= number <= len(kept) else match[0]

    return _TOKEN.sub(part_of, text)


def hide(text: str, kept: Sequence[str]) -> str:
    """Replace parts by their tokens in a text about them."""
    for number, part in sorted(enumerate(kept, 1), key=lambda entry: -len(entry[1])):
        text = text.replace(part, f"{_OPEN}{number}{_CLOSE}")
    return text


def texts(parts: Sequence[Part]) -> Iterator[str]:
    return (part.text for part in parts if part.kind is PartKind.TEXT)


def has_words(parts: Sequence[Part]) -> bool:
    return any(any(map(str.isalpha, text)) for text in texts(parts))
