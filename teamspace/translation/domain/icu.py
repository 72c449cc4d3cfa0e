"""Parses ICU messages: arguments, plural and select branches. Linear, and bounded in depth."""

import re
from enum import Enum, auto

import msgspec

MAX_DEPTH = 8
_SPECIAL = re.compile(r"[{}']")
_ARGUMENT = re.compile(r"\{\s*([\w.-]{1,100}+)\s*(?:(\})|,\s*(\w{1,30}+)\s*(?:(\})|,))")
_STYLE = re.compile(r"[^{}']{0,200}+\}")
_OFFSET = re.compile(r"\s*(?:offset:\s{0,9}\d{1,9})?")
_BRANCH = re.compile(r"\s*(=\d{1,9}|[\w-]{1,50}+)\s*\{")
_END = re.compile(r"\s*\}")
_CHOICES = frozenset({"plural", "select", "selectordinal"})


class Piece(Enum):
    LITERAL = auto()
    ARGUMENT = auto()
    SYNTAX = auto()


class Choice(msgspec.Struct, frozen=True):
    """An argument with branches."""

    name: str
    kind: str
    keys: tuple[str, ...]


class IcuMessage(msgspec.Struct, frozen=True):
    pieces: list[tuple[Piece, str]]
    """The whole text, in order."""
    choices: list[Choice]


class _Malformed(Exception):
    """The text is no ICU message."""


def parse(text: str) -> IcuMessage | None:
    """Parse a message; None if it is malformed."""
    parser = _Parser(text)
    try:
        parser.read_message(0)
    except _Malformed:
        return None
    return IcuMessage(parser.pieces, parser.choices)


def parse_with_choices(text: str) -> IcuMessage | None:
    """Parse a message that has branches; None for every other text."""
    if "plural" not in text and "select" not in text:
        return None
    message = parse(text)
    return message if message and message.choices else None


class _Parser:
    def __init__(self, text: str) -> None:
        self.pieces: list[tuple[Piece, str]] = []
        self.choices: list[Choice] = []
        self._text, self._at = text, 0

    def read_message(self, depth: int) -> None:
        """Read up to the end of the text, or of the branch."""
        if depth > MAX_DEPTH:
            raise _Malformed
        begin = self._at
        while sign := _SPECIAL.search(self._text, self._at):
            if sign[0] == "'":
                self._at = self._after_quote(sign.start())
                continue
            self._add(Piece.LITERAL, begin, sign.start())
            self._at = sign.start()
            if sign[0] == "}":
                if depth:
                    return
                raise _Malformed
            self._read_argument(depth)
            begin = self._at
        if depth:
            raise _Malformed
        self._add(Piece.LITERAL, begin, len(self._text))

    def _read_argument(self, depth: int) -> None:
        begin = self._at
        head = self._match(_ARGUMENT)
        name, kind, is_simple = head[1], head[3], head[2] or head[4]
        if not is_simple and kind not in _CHOICES:
            self._match(_STYLE)
            is_simple = True
        if is_simple:
            return self._add(Piece.ARGUMENT, begin, self._at)
        self._match(_OFFSET)
        keys = list[str]()
        while branch := _BRANCH.match(self._text, self._at):
            keys.append(branch[1])
            self._add(Piece.SYNTAX, begin, branch.end())
            self._at = branch.end()
            self.read_message(depth + 1)
            begin = self._at
            self._at += 1
        self._match(_END)
        self._add(Piece.SYNTAX, begin, self._at)
        if "other" not in keys or len(set(keys)) < len(keys):
            raise _Malformed
        self.choices.append(Choice(name, kind, tuple(keys)))

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise _Malformed
        self._at = match.end()
        return match

    def _after_quote(self, at: int) -> int:
        """An apostrophe quotes only before a brace; two are one apostrophe."""
        following = self._text[at + 1 : at + 2]
        if following == "'":
            return at + 2
        if following not in ("{", "}"):
            return at + 1
        end = self._text.find("'", at + 2)
        return len(self._text) if end < 0 else end + 1

    def _add(self, piece: Piece, begin: int, end: int) -> None:
        if end > begin:
            self.pieces.append((piece, self._text[begin:end]))
