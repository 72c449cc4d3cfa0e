"""Write a short text that a regular expression matches, for common expressions."""

_CLASSES = {"d": "0", "w": "a", "s": " ", "D": "a", "W": "-", "S": "a"}
_ENDS = {"b": "", "A": "", "Z": "", "B": ""}
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r"}
_MAX = 1000


class Unsupported(Exception):
    """The expression is none of the common ones."""


def example(pattern: str) -> str:
    """Return a short text that the pattern matches, or raise Unsupported."""
    writer = _Writer(pattern[:_MAX])
    try:
        text = writer.alternatives(0)
    except (IndexError, ValueError, RecursionError):
        raise Unsupported from None
    if writer.place < len(pattern):
        raise Unsupported
    return text


class _Writer:
    def __init__(self, pattern: str) -> None:
        self._pattern, self.place = pattern, 0

    def alternatives(self, depth: int) -> str:
        """Return a text for the first alternative; read all."""
        if depth > 20:
            raise Unsupported
        text = self._sequence(depth)
        while self._next() == "|":
            self.place += 1
            self._sequence(depth)
        return text

    def _sequence(self, depth: int) -> str:
        text = ""
        while (character := self._next()) not in ("", "|", ")"):
            item = self._item(character, depth)
            text += item * self._count()
            if len(text) > _MAX:
                raise Unsupported
        return text

    def _item(self, character: str, depth: int) -> str:
        self.place += 1
        if character in "^$":
            return ""
        if character == ".":
            return "a"
        if character == "\\":
            return self._escaped()
        if character == "[":
            return self._set()
        if character == "(":
            return self._group(depth)
        return character

    def _group(self, depth: int) -> str:
        if self._next() == "?":
            if self._pattern[self.place + 1] != ":":
                raise Unsupported
            self.place += 2
        text = self.alternatives(depth + 1)
        self._expect(")")
        return text

    def _set(self) -> str:
        """Return the first character of a set."""
        if self._next() == "^":
            end = self._pattern.index("]", self.place + 2)
            without, self.place = self._pattern[self.place : end], end + 1
            return next(character for character in "a0-_ !" if character not in without)
        first = self._pattern[self.place]
        self.place += 1
        first = self._escaped() if first == "\\" else first
        while self._pattern[self.place] != "]":
            self.place += 2 if self._next() == "\\" else 1
        self.place += 1
        return first

    def _escaped(self) -> str:
        character = self._pattern[self.place]
        self.place += 1
        for known in (_CLASSES, _ENDS, _CONTROLS):
            if character in known:
                return known[character]
        if character.isalnum():
            raise Unsupported
        return character

    def _count(self) -> int:
        """Read a quantifier and return its smallest count."""
        character = self._next()
        count = {"*": 0, "?": 0, "+": 1}.get(character, 1)
        if character == "{":
            end = self._pattern.index("}", self.place)
            count, self.place = int(self._pattern[self.place + 1 : end].split(",")[0] or 0), end
        if character and character in "*?+{":
            self.place += 1
            self.place += self._next() == "?"
        return min(count, _MAX)

    def _expect(self, character: str) -> None:
        if self._next() != character:
            raise Unsupported
        self.place += 1

    def _next(self) -> str:
        return self._pattern[self.place : self.place + 1]
