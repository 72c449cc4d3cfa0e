"""Which of the tests that repeat a proof a normal run takes."""

from pathlib import Path
from typing import Any

import pytest

from tests.support import plugin


class Marked:
    mark: pytest.Mark | None

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


class InAFile(Marked):
    def __init__(self, file: str, number: int, every: int | None = None) -> None:
        self.mark = pytest.mark.sampled(every).mark if every else None
        self.nodeid = f"tests/{file}.py::test_{number}"
        self.path = Path(__file__).parents[1] / f"{file}.py"

    def get_closest_marker(self, name: str) -> Any:
        return self.mark if name == "sampled" else None


@pytest.mark.parametrize(("distance", "marked"), [(1, 4), (3, 4), (4, None)])
def test_every_fourth_of_a_file_is_in_the_sample_and_each_has_its_turn(
    monkeypatch: pytest.MonkeyPatch, distance: int, marked: int | None
) -> None:
    long = [InAFile("console/test_long", number, marked) for number in range(10)]
    short = [InAFile("console/test_short", number, marked) for number in range(2)]
    had_a_turn = set()
    for commit in map(str, range(40)):
        monkeypatch.setattr(plugin, "commit", lambda commit=commit: commit)
        outside: set[Any] = set(plugin._outside_the_sample([*long, *short], distance))  # type: ignore[list-item]
        chosen = {*long, *short} - outside
        assert len(chosen & set(long)) in (2, 3)
        assert len(chosen & set(short)) == 1, "at least one of a file"
        had_a_turn |= chosen
    assert had_a_turn == {*long, *short}


def test_tests_about_the_whole_source_run_every_time() -> None:
    tests: list[Any] = [InAFile("architecture/test_levels", number) for number in range(10)]
    assert plugin._outside_the_sample(tests, 3) == set()


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
