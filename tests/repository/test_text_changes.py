"""Changes between the longest texts, in their worst shapes: found off the event loop, and short."""

import random

import pytest

from teamspace.core import pools
from teamspace.repository.domain.text_changes import MAX_CHARACTERS, compare
from tests.mcp.help import loop_watched

_HALF = MAX_CHARACTERS // 2
_RANDOM = random.Random(1)
PAIRS = {
    "equal lines": ("a\n" * _HALF, "b\n" + "a\n" * (_HALF - 2) + "b\n"),
    "two different lines": tuple("".join(_RANDOM.choices(("a\n", "b\n"), k=_HALF)) for _ in range(2)),
    "lines that moved": ("a\nb\n" * (_HALF // 2), "b\na\n" * (_HALF // 2)),
    "all different": ("".join(f"{n}\n" for n in range(80_000)), "".join(f"x{n}\n" for n in range(70_000))),
    "one line": ("x" * MAX_CHARACTERS, "x" * (MAX_CHARACTERS - 1) + "y"),
    "nothing": ("", "\n" * MAX_CHARACTERS),
}


@pytest.mark.parametrize("shape", PAIRS)
async def test_changes_of_the_longest_texts(shape: str) -> None:
    before, after = PAIRS[shape]
    async with loop_watched():
        found = await pools.TEXT.run(compare, before, after)
    assert found.complete and found.passages
    assert len(found.passages) <= 5
    assert all(len(text) <= 301 for passage in found.passages for text in (passage.before, passage.after))


def test_what_is_beyond_the_limit_is_not_compared_and_that_is_said() -> None:
    found = compare("a\n" * _HALF + "b", "a\n" * _HALF + "c")
    assert (found.complete, found.added, found.removed) == (False, 0, 0)
