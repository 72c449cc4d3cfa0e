"""Which of the media types that a route can answer with a client prefers (RFC 9110, section 12.5.1)."""

import re
from collections.abc import Sequence

import msgspec

JSON, JSON_LINES, CSV, EVENT_STREAM = "application/json", "application/x-ndjson", "text/csv", "text/event-stream"
MAX_RANGES = 32
"""Further ones are ignored. Browsers send about eight."""
_QUALITY = re.compile(r"(?:^|;)\s*q=([01](?:\.\d{0,3})?)\s*(?:;|$)")


class _Range(msgspec.Struct, frozen=True):
    """A part of an Accept header, without its parameters."""

    type: str
    subtype: str
    quality: float

    def specificity(self, type: str, subtype: str) -> int:
        """Return how closely it names a media type, 0 if it does not admit it."""
        if (self.type, self.subtype) == (type, subtype):
            return 3
        if self.subtype == "*":
            return {type: 2, "*": 1}.get(self.type, 0)
        return 0


def choose(header: str, offered: Sequence[str]) -> str:
    """Return the type that the client prefers; the first one if it names none of them.

    Of equally wanted types it is the one that the client names more closely, then the one that it names first.
    """
    ranges = [_parse(part) for part in header.lower().split(",", MAX_RANGES)[:MAX_RANGES]]
    wanted = {type: _rank(type, ranges) for type in offered}
    return max(offered, key=lambda type: wanted[type])


def _parse(part: str) -> _Range:
    name, _, parameters = part.partition(";")
    type, _, subtype = name.strip().partition("/")
    quality = _QUALITY.search(parameters)
    return _Range(type, subtype, float(quality[1]) if quality else 1.0)


def _rank(offered: str, ranges: Sequence[_Range]) -> tuple[float, int, int]:
    """Return the quality of a type, by the range that names it most closely; how closely, and how early it is."""
    type, _, subtype = offered.partition("/")
    specificity, place = max((each.specificity(type, subtype), -number) for number, each in enumerate(ranges))
    quality = ranges[-place].quality
    return (quality, specificity, place) if specificity and quality else (0.0, 0, 0)
