"""Several server processes on PostgreSQL: a dead one is replaced, and all stop together."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.postgres import create_database, drop_database
from tests.support.served import Served

PATIENCE = 20.0


@pytest.fixture
def served(postgres_url: str, tmp_path: Path) -> Iterator[Served]:
    name = f"workers_{os.getpid()}"
    url = create_database(postgres_url, name)
    settings = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": url, "SERVICE_WORKERS": "2"}
    with Served(settings) as server:
        yield server
    drop_database(postgres_url, name)


def test_a_dead_process_is_replaced_and_a_stop_ends_all(served: Served) -> None:
    assert served.process is not None
    supervisor = served.process.pid
    wait_until(lambda: len(serving(supervisor)) == 2)
    first = serving(supervisor)
    os.kill(first[0], signal.SIGKILL)
    wait_until(lambda: len(serving(supervisor)) == 2 and serving(supervisor) != first)
    wait_until(served.healthy)
    assert served.stop() == 0


def test_processes_do_not_outlive_their_supervisor(served: Served) -> None:
    assert served.process is not None
    supervisor = served.process.pid
    wait_until(lambda: len(serving(supervisor)) == 2)
    workers = serving(supervisor)
    os.kill(supervisor, signal.SIGKILL)
    served.process.wait()
    wait_until(lambda: not any(alive(worker) for worker in workers))


def serving(supervisor: int) -> list[int]:
    """Return the supervisor's server processes, without Python's resource tracker."""
    children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
    return [
        int(pid) for pid in children if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text() and alive(int(pid))
    ]


def alive(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.05)
