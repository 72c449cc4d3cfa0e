"""Which of the tests that repeat a proof a normal run takes."""

from pathlib import Path
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


class Sampled(Marked):
    def __init__(self, file: str, number: int) -> None:
        self.mark = pytest.mark.sampled(4).mark
        self.nodeid = f"tests/console/{file}.py::test_{number}"

    def get_closest_marker(self, name: str) -> Any:
        return self.mark if name == "sampled" else None


def test_every_fourth_of_a_file_is_in_the_sample_and_each_has_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    long, short = [Sampled("long", number) for number in range(10)], [Sampled("short", number) for number in range(2)]
    had_a_turn = set()
    for commit in map(str, range(40)):
        monkeypatch.setattr(plugin, "commit", lambda commit=commit: commit)
        outside: set[Any] = set(plugin._outside_the_sample([*long, *short]))  # type: ignore[list-item]
        chosen = {*long, *short} - outside
        assert len(chosen & set(long)) in (2, 3)
        assert len(chosen & set(short)) == 1, "at least one of a file"
        had_a_turn |= chosen
    assert had_a_turn == {*long, *short}


class OnADatabase(Marked):
    path = Path(__file__).parents[1] / "notes/test_routes.py"

    def __init__(self, number: int, database: str) -> None:
        self.name = f"test_{number}[{database}]"
        self.callspec = type("Parameters", (), {"params": {"database": database}})

    def get_closest_marker(self, name: str) -> Any:
        return None


def test_a_test_runs_on_one_database_and_on_each_over_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin, "changed", frozenset)
    on_postgres = set()
    for commit in map(str, range(40)):
        monkeypatch.setattr(plugin, "commit", lambda commit=commit: commit)
        for number in range(20):
            sqlite, postgres = (
                not plugin._runs_on_the_other_database(OnADatabase(number, database))  # type: ignore[arg-type]
                for database in ("sqlite", "postgres")
            )
            assert sqlite != postgres
            if postgres:
                on_postgres.add((commit, number))
    assert 60 <= len(on_postgres) <= 140
    assert {number for _, number in on_postgres} == set(range(20))
