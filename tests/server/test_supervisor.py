"""The supervisor of several processes: it ends with them, and looks after each of them whatever the others do."""

import contextlib
import os
import signal
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from teamspace import server
from teamspace.app import prepare_folder
from teamspace.settings import load
from tests.durability.test_jobs import Client
from tests.durability.test_processes import until
from tests.support.pinned import PinnedConnection, connect_to_each
from tests.support.served import Served

PATIENCE = 120.0
"""Seconds, long enough for a busy machine. Without a limit none of this would end."""
ROGUE = Path(__file__).parents[1] / "plugins/rogue"


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    return {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_WORKERS": "2", "SERVICE_STOP_SECONDS": "3"}


def statistics(process: int) -> list[str]:
    """What the kernel says of a process, from its state on."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def cpu_seconds(process: int) -> float:
    fields = statistics(process)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def assert_rests(process: int) -> None:
    """Check that the process uses little of a second."""
    before = cpu_seconds(process)
    time.sleep(1)
    assert cpu_seconds(process) - before < 0.3


def is_running(process: int) -> bool:
    try:
        return statistics(process)[0] != "Z"
    except FileNotFoundError:
        return False


def processes_of(served: Served) -> list[int]:
    assert served.process is not None
    supervisor = served.process.pid
    children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
    return [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def test_a_stop_ends_in_time_although_a_process_is_halted(settings: dict[str, str]) -> None:
    with Served(settings, "tests.server.hurried") as served, ExitStack() as stack:
        victim, other = (each.process for each in connect_to_each(served, 2, stack))
        assert served.process is not None
        os.kill(victim, signal.SIGSTOP)
        served.process.terminate()
        until(lambda: not is_running(other))
        assert_rests(served.process.pid)
        assert served.process.wait(PATIENCE) == 0
        assert not is_running(victim)
        assert f"server process {victim} takes too long to stop: killing it" in served.logs


def test_a_process_that_hangs_is_killed_although_another_dies_again_and_again(settings: dict[str, str]) -> None:
    with Served(settings, "tests.durability.hanging") as served, ExitStack() as stack:
        victim, *_ = (each.process for each in connect_to_each(served, 2, stack))
        os.kill(victim, signal.SIGSTOP)
        end = time.monotonic() + PATIENCE
        while is_running(victim):
            assert time.monotonic() < end, "it is never killed"
            for process in set(processes_of(served)) - {victim}:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.1)
        assert f"server process {victim} does not respond: killing it" in served.logs


def test_what_a_process_starts_gets_none_of_its_open_files(settings: dict[str, str]) -> None:
    """Such as the lock of the folder, and the pipe whose end tells the supervisor that the process has ended."""
    folder = Path(settings["SERVICE_DATA"])
    with Served(settings, "tests.server.with_child") as served:
        until(lambda: len(list(folder.glob("child-*.pid"))) == 2)
        for file in folder.glob("child-*.pid"):
            opened = Path(f"/proc/{file.read_text()}/fd").iterdir()
            assert {str(entry.readlink()) for entry in opened} == {"/dev/null"}, (
                "its streams, and what uvloop made them of"
            )
        assert served.stop() == 0


def test_a_process_that_cannot_be_started_now_is_started_later(
    settings: dict[str, str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(server.Restarts, "SHORTEST_PAUSE", 0.0)
    loaded = load(settings, file=Path("/dev/null"))
    prepare_folder(loaded.data)
    supervisor = server.Supervisor(loaded, None)
    tried = list[int]()

    def spawn(position: int) -> None:
        tried.append(position)
        if len(tried) == 2:
            raise BlockingIOError("no more processes")
        supervisor._workers[position] = supervisor._context.Process()

    monkeypatch.setattr(supervisor, "_spawn", spawn)
    for _ in range(3):
        supervisor._start_missing()
    assert tried == [0, 1, 1]
    assert "could not be started: no more processes" in caplog.text


def test_processes_that_end_soon_are_started_less_and_less_often() -> None:
    restarts, pauses, now = server.Restarts(), list[float](), 0.0
    for seconds in (3600, 2, 2, 2, 2, 2, 3600, 2):
        restarts.start(now)
        now += seconds
        restarts.end(now)
        pauses.append(restarts.due - now)
        now = restarts.due
    assert pauses == [1, 2, 4, 8, 8, 8, 1, 2]


def test_a_process_whose_supervisor_was_killed_rests_while_it_finishes_a_request(settings: dict[str, str]) -> None:
    with Served({**settings, "SERVICE_PLUGINS": str(ROGUE)}) as served:
        token = Client(served).token
        assert served.process is not None
        with PinnedConnection(served.port) as busy:
            process = busy.process
            busy._connection.request("GET", "/api/x/rogue/hang", headers={"authorization": f"Bearer {token}"})
            time.sleep(1)  # until it has begun
            served.process.kill()
            until(lambda: served.logs.count("stopping: accepted requests are finished first") == 2)
            assert_rests(process)
            assert is_running(process)
            until(lambda: not is_running(process))
