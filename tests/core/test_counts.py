"""Limits of concurrency that hold for all processes of a server."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teamspace.core import counts
from teamspace.core.counts import SharedCounts
from teamspace.core.errors import RateLimited
from teamspace.core.limits import KeyedConcurrencyLimit

PROCESSES = 3


@pytest.fixture
def shared(tmp_path: Path) -> list[SharedCounts]:
    return [SharedCounts(tmp_path / "counts", process, PROCESSES) for process in range(PROCESSES)]


def test_a_limit_counts_for_all_processes(shared: list[SharedCounts]) -> None:
    limits = [KeyedConcurrencyLimit("busy.streams", each, token=4, server=2) for each in shared]
    with ExitStack() as open_streams:
        for number in range(4):
            open_streams.enter_context(limits[number % PROCESSES].take(token="a"))
        for limit in limits:
            with pytest.raises(RateLimited), limit.take(token="a"):
                pass
            with limit.take(token="b"):
                pass
    for limit in limits:
        with limit.take(token="a"):
            pass


def test_the_limit_of_a_server_is_for_each_process(shared: list[SharedCounts]) -> None:
    limits = [KeyedConcurrencyLimit("busy.streams", each, token=9, server=1) for each in shared]
    with ExitStack() as taken:
        taken.enter_context(limits[0].take(server="all"))
        taken.enter_context(limits[1].take(server="all"))
        with pytest.raises(RateLimited):
            limits[0].check(server="all")


def test_limits_of_different_things_do_not_mix(shared: list[SharedCounts]) -> None:
    streams = KeyedConcurrencyLimit("busy.streams", shared[0], token=1)
    polls = KeyedConcurrencyLimit("busy.waiting_by", shared[1], token=1)
    with streams.take(token="a"), polls.take(token="a"):
        pass


def test_what_a_dead_process_had_taken_is_free_again(tmp_path: Path, shared: list[SharedCounts]) -> None:
    for each in shared:
        each.take("a")
    SharedCounts(tmp_path / "counts", 1, PROCESSES)
    assert shared[0].read("a") == 2


def test_keys_beyond_the_slots_are_counted_together(
    shared: list[SharedCounts], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "_SLOTS", counts._PROBES + 1)
    taken = [(f"key{number}", shared[0].take(f"key{number}")) for number in range(100)]
    for key, place in taken:
        shared[0].release(key, place)
    assert [shared[0].read(key) for key, _ in taken] == [0] * 100


@given(steps=st.lists(st.tuples(st.integers(0, PROCESSES - 1), st.sampled_from("abcdef"), st.booleans()), max_size=60))
def test_the_counts_are_those_of_a_model(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, str, bool]]
) -> None:
    file = tmp_path_factory.mktemp("counts") / "memory"
    shared = [SharedCounts(file, process, PROCESSES) for process in range(PROCESSES)]
    taken: dict[tuple[int, str], list[int]] = {}
    for process, key, takes in steps:
        places = taken.setdefault((process, key), [])
        if takes:
            places.append(shared[process].take(key))
        elif places:
            shared[process].release(key, places.pop())
        for name in "abcdef":
            expected = sum(len(places) for (_, other), places in taken.items() if other == name)
            assert {each.read(name) for each in shared} == {expected}
