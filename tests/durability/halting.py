"""`python -m tests.durability.halting serve`: the server, with processes that stop for ever where a test says.

A process looks into `HALT` in the data folder, which names a process and a place, and leaves `HALTED` there when it stops.
What each process counts is taken for that of an ended one after half a second without a report, and taken back.
"""

import os
import time
from pathlib import Path
from typing import Any

from teamspace import cli
from teamspace.core.db.sqlite import Sqlite
from teamspace.instance.domain import processes

HALT, HALTED = "halt", "halted"
TAKEN, WRITTEN, COMMITTED = PLACES = ("taken", "written", "committed")
"""With the write turn: before the transaction, before its commit, and after it."""
_take_turn, _finish, _release_turn = Sqlite._take_turn, Sqlite._finish, Sqlite._release_turn


def _halt(engine: Sqlite, place: str) -> None:
    folder = engine._path.parent
    try:
        wanted = (folder / HALT).read_text()
    except FileNotFoundError:
        return
    if wanted == f"{os.getpid()} {place}":
        (folder / HALTED).touch()
        while True:
            time.sleep(60)


async def _take_and_halt(engine: Sqlite) -> None:
    await _take_turn(engine)
    _halt(engine, TAKEN)


def _halt_and_finish(engine: Sqlite, *arguments: Any) -> None:
    _halt(engine, WRITTEN)
    _finish(engine, *arguments)


def _halt_and_release(engine: Sqlite) -> None:
    _halt(engine, COMMITTED)
    _release_turn(engine)


def halt(data: Path, process: int, place: str) -> None:
    """Let a process stop as soon as it is in that place."""
    (data / f"{HALT}.new").write_text(f"{process} {place}")
    (data / f"{HALT}.new").rename(data / HALT)


def has_halted(data: Path) -> bool:
    return (data / HALTED).exists()


def go_on(data: Path) -> None:
    """Let no other process stop."""
    (data / HALT).unlink()
    (data / HALTED).unlink()


def prepare() -> None:
    engine: Any = Sqlite
    engine._take_turn, engine._finish, engine._release_turn = _take_and_halt, _halt_and_finish, _halt_and_release
    processes._SILENT_SECONDS = processes._ENDED_SECONDS = 0.5


if __name__ in ("__main__", "__mp_main__"):  # the second in the processes that a supervisor starts
    prepare()

if __name__ == "__main__":
    cli.main()
