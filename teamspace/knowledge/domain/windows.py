"""Parts of a long text, each small enough for one request to a model."""

from collections.abc import Iterator

import msgspec

WINDOW, MAX_WINDOWS = 12_000, 20
"""Characters of a window, and windows of a document; what is beyond them is not read."""
_BREAKS = ("\n\n", "\n", ". ", " ")
"""Where a window ends, best first."""


class TextWindow(msgspec.Struct, frozen=True):
    start: int
    text: str


def split(text: str) -> tuple[list[TextWindow], int]:
    """Return the windows of a text, and how many characters are beyond them."""
    windows = [window for _, window in zip(range(MAX_WINDOWS), _windows(text), strict=False)]
    end = windows[-1].start + len(windows[-1].text) if windows else 0
    return [window for window in windows if window.text.strip()], len(text) - end


def count(characters: int) -> int:
    """Return about how many windows a text of this length has."""
    return min(MAX_WINDOWS, -(-characters // WINDOW))


def _windows(text: str) -> Iterator[TextWindow]:
    start = 0
    while start < len(text):
        end = _end(text, start)
        yield TextWindow(start, text[start:end])
        start = end


def _end(text: str, start: int) -> int:
    end = start + WINDOW
    if end >= len(text):
        return len(text)
    for sign in _BREAKS:
        # Not in the first half: a text of short paragraphs after a long one would have many small windows.
        if (place := text.rfind(sign, start + WINDOW // 2, end)) >= 0:
            return place + len(sign)
    return end
