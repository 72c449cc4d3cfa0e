"""Titles from prompts: the first words, without Markdown, and never cut inside of a link, a formula or a character."""

import re
import unicodedata

TITLE_LENGTH = 80
_SEARCHED = 1_000
"""Characters in which a title is looked for."""
_JOINERS = "\u200c\u200d"
_ELLIPSIS = "…"
_NESTED = 2
"""How often emphasis is looked for within emphasis."""

_BLOCK_MARKER = re.compile(r"(?:#{1,6}|>|[-*+]|[0-9]{1,9}[.)])(?:\s+|$)|(?:```|~~~).*")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*(?:\)|\Z)")
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|__|~~|\*|_|`)(?=\S)([^*_~`]+)(?<=\S)\1(?!\w)")
_FORMULA = re.compile(
    r"\$\$[^$]+\$\$|\$(?=\S)[^$]+(?<=\S)\$(?!\d)|\\\((?:[^\\]|\\[^()])*\\\)|\\\[(?:[^\\]|\\[^\[\]])*\\\]"
)
_CUT_FORMULA = re.compile(r"\$+|\\[()\[\]]")
_REGIONAL = re.compile("[\U0001f1e6-\U0001f1ff]+$")


def to_title(text: str) -> str:
    """Return the first line that has words, shortened; empty if there is none."""
    lines = (_shorten(_to_plain(line)) for line in text.lstrip()[:_SEARCHED].splitlines())
    return next((line for line in lines if _has_words(line)), "")


def _has_words(line: str) -> bool:
    return any(character not in _JOINERS for character in line)


def _to_plain(line: str) -> str:
    """Return a line of Markdown as people read it. Formulas stay as they are."""
    plain = unicodedata.normalize("NFC", " ".join(line.split()))
    while marker := _BLOCK_MARKER.match(plain):
        plain = plain[marker.end() :]
    plain = _LINK.sub(r"\1", plain)
    for _ in range(_NESTED):
        plain = _EMPHASIS.sub(r"\2", plain)
    return "".join(one for one in plain if one.isprintable() or one in _JOINERS).strip()


def _shorten(line: str) -> str:
    if len(line) <= TITLE_LENGTH:
        return line
    room = TITLE_LENGTH - len(_ELLIPSIS)
    spans = [found.span() for found in _FORMULA.finditer(line)]
    whole = [end for end in _word_ends(line, room) if not any(first < end < last for first, last in spans)]
    if whole:
        return line[: whole[-1]] + _ELLIPSIS
    return _cut(_CUT_FORMULA.sub("", line), room) + _ELLIPSIS  # it begins with a formula that is longer than a title


def _cut(line: str, room: int) -> str:
    ends = _word_ends(line, room)
    return line[: ends[-1]] if ends else line[: _character_end(line, room)]


def _word_ends(line: str, room: int) -> list[int]:
    return [found.start() for found in re.finditer(r"(?<=\S)\s", line[: room + 1])]


def _character_end(line: str, end: int) -> int:
    """Return the last position up to `end` at which no character that people see as one is cut."""
    while end > 1 and _continues(line, end):
        end -= 1
    return end


def _continues(line: str, at: int) -> bool:
    """Whether a character is drawn together with the one before it: an accent, a joined emoji, half a flag."""
    if at >= len(line):
        return False
    this, before = line[at], line[at - 1]
    if unicodedata.category(this)[0] == "M" or this in _JOINERS or before == _JOINERS[1]:
        return True
    if "\U0001f3fb" <= this <= "\U0001f3ff":  # the colour of a skin
        return True
    flags = _REGIONAL.search(line[:at])
    return "\U0001f1e6" <= this <= "\U0001f1ff" and flags is not None and len(flags[0]) % 2 == 1
