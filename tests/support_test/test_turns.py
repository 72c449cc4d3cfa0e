"""Of the tests that are marked `one_of` a normal run takes one."""

from typing import Any

import pytest

from tests.support import plugin


class Marked:
    def __init__(self, position: int) -> None:
        self.mark = pytest.mark.one_of(4, position).mark

    def get_closest_marker(self, name: str) -> Any:
        return self.mark if name == "one_of" else None


def test_the_commit_chooses_one_and_each_has_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = set()
    for commit in map(str, range(40)):
        monkeypatch.setattr(plugin, "commit", lambda commit=commit: commit)
        (position,) = [each for each in range(4) if not plugin._is_another_ones_turn(Marked(each))]  # type: ignore[arg-type]
        chosen.add(position)
    assert chosen == {0, 1, 2, 3}
