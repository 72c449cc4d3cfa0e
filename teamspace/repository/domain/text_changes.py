"""What has changed between two texts: how many lines, and the first passages. Linear, apart from a small window."""

from collections import Counter
from difflib import SequenceMatcher
from itertools import takewhile

from teamspace.repository.schemas import ChangedPassage, TextChanges

MAX_CHARACTERS = 500_000
"""Of each text that are compared."""
_WINDOW = 120
"""Lines after the first difference in which passages are looked for: comparing all of them takes too long."""
_MAX_PASSAGES, _MAX_SHOWN = 5, 300


def compare(before: str, after: str) -> TextChanges:
    """Compare texts line by line. Lines that only have moved do not count."""
    is_complete = max(len(before), len(after)) <= MAX_CHARACTERS
    old, new = before[:MAX_CHARACTERS].splitlines(), after[:MAX_CHARACTERS].splitlines()
    start = _count_equal(old, new)
    end = _count_equal(old[start:][::-1], new[start:][::-1])
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    kept, come = Counter(old), Counter(new)
    return TextChanges(
        added=(come - kept).total(), removed=(kept - come).total(), passages=_passages(old, new, start),
        complete=is_complete,
    )  # fmt: skip


def _count_equal(old: list[str], new: list[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _passages(old: list[str], new: list[str], start: int) -> list[ChangedPassage]:
    old, new = old[:_WINDOW], new[:_WINDOW]
    changed = [step for step in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if step[0] != "equal"]
    return [
        ChangedPassage(start + first_new + 1, _shown(old[first:last]), _shown(new[first_new:last_new]))
        for _, first, last, first_new, last_new in changed[:_MAX_PASSAGES]
    ]


def _shown(lines: list[str]) -> str:
    text = "\n".join(line[:_MAX_SHOWN] for line in lines)
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"
