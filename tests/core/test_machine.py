"""How many processes suit a machine."""

import os
from pathlib import Path

import pytest

from teamspace.core import machine

GIB = 2**30


@pytest.mark.parametrize(
    ("cores", "memory", "processes"),
    [(1, 64 * GIB, 1), (2, 512 * 2**20, 1), (2, 2 * GIB, 2), (4, 3 * GIB, 3), (64, 256 * GIB, 4)],
)
def test_a_process_needs_a_core_and_memory(
    monkeypatch: pytest.MonkeyPatch, cores: int, memory: int, processes: int
) -> None:
    monkeypatch.setattr(machine, "cores", lambda: cores)
    monkeypatch.setattr(machine, "memory", lambda: memory)
    assert machine.suitable_processes() == processes


@pytest.mark.parametrize(
    ("limits", "cores", "memory"),
    [
        ({}, 4, 8 * GIB),
        ({"cpu.max": "max 100000\n", "memory.max": "max\n"}, 4, 8 * GIB),
        ({"cpu.max": "150000 100000\n", "memory.max": f"{GIB}\n"}, 1, GIB),
        ({"cpu.max": "50000 100000\n", "memory.max": f"{64 * GIB}\n"}, 1, 8 * GIB),
        ({"cpu.max": "900000 100000\n"}, 4, 8 * GIB),
    ],
    ids=["no limits", "unlimited", "limited", "half a core", "more than there is"],
)
def test_the_limits_of_a_container_count(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, limits: dict[str, str], cores: int, memory: int
) -> None:
    for name, limit in limits.items():
        (tmp_path / name).write_text(limit)
    monkeypatch.setattr(machine, "_CGROUP", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(4)))
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 2 * 2**20}.__getitem__)
    assert (machine.cores(), machine.memory()) == (cores, memory)
