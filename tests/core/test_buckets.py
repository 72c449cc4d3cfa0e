"""Rate limits whose buckets the processes of a server share."""

from pathlib import Path

import pytest

from teamspace.core import buckets
from teamspace.core.buckets import SharedBuckets
from teamspace.core.errors import RateLimited
from teamspace.core.limits import Rate


def spent(rates: list[Rate], key: str, tries: int) -> int:
    """Return how many of the requests, which go to each process in turn, are within the limit."""
    count = 0
    for number in range(tries):
        try:
            rates[number % len(rates)].spend(key)
            count += 1
        except RateLimited:
            pass
    return count


def test_a_limit_counts_for_all_processes(tmp_path: Path) -> None:
    rates = [Rate(1, 1, SharedBuckets(tmp_path / "rates")) for _ in range(3)]
    assert spent(rates, "ann", 9) == 1
    rates = [Rate(60, 10, SharedBuckets(tmp_path / "others")) for _ in range(3)]
    assert spent(rates, "ann", 40) in (10, 11)  # one more after a second
    assert spent(rates, "bob", 5) == 5, "another key has its own bucket"


def test_a_time_of_an_earlier_clock_is_ignored(tmp_path: Path) -> None:
    memory = SharedBuckets(tmp_path / "rates")
    memory.write("ann", 0.0, 1e12)
    assert spent([Rate(60, 5, memory)], "ann", 5) == 5


def test_more_keys_than_slots_forget_the_oldest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "_SLOTS", 16)
    memory = SharedBuckets(tmp_path / "rates")
    for number in range(200):
        memory.write(f"key{number}", number / 2, float(number))
        assert memory.read(f"key{number}") == (number / 2, float(number))
    assert sum(memory.read(f"key{number}") is not None for number in range(200)) <= 16
    assert memory.read("key0") is None
