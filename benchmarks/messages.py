"""The messages of the localization benchmark: the same texts for every server, in equal shares at every size."""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.targets import PAGE_SIZE

LOCALE = "de"
NAMESPACES = 20
SHARES = 20
MISSING, DRAFTS, STALE = range(3), range(3, 7), range(7, 8)
"""Of twenty messages in the locale; the others are approved."""
RARE, COMMON = "zeppelin", "message"
"""A word of three messages, and one of all."""
ENTRIES = {
    "one message": 1,
    "first page": PAGE_SIZE,
    "page in the middle": PAGE_SIZE,
    "missing ones": PAGE_SIZE,
    "one namespace": PAGE_SIZE,
    "a rare word": 3,
    "a common word": PAGE_SIZE,
}
"""How many messages the answer to each request has, if there are at least a thousand."""
_SYLLABLES = ("ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "ti")


@dataclass(frozen=True)
class Sample:
    namespace: str
    key: str
    source: str
    text: str
    """Empty if missing."""


def samples(size: int) -> Iterator[Sample]:
    rare = {size // 4, size // 2, size * 3 // 4}
    for number in range(size):
        first, second = _word(number * 7919), _word(number * 104729)
        third = RARE if number in rare else _word(number * 1299709)
        text = f"{{name}} schreibt von {first}, {second} und {third}, Nummer {number}."
        yield Sample(
            namespace=namespace(number),
            key=f"key{number:06}",
            source=f"This {COMMON} of {{name}} is about {first}, {second} and {third}, number {number}.",
            text="" if number // NAMESPACES % SHARES in MISSING else text,
        )


def namespace(number: int) -> str:
    return f"space{number % NAMESPACES:02}"


def _word(number: int) -> str:
    parts = []
    for _ in range(4):
        number, rest = divmod(number, len(_SYLLABLES))
        parts.append(_SYLLABLES[rest])
    return "".join(parts)
