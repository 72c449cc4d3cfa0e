"""A process of several is killed, or hangs, where it hurts most: with the write turn, for example after the commit.

The others go on, nothing acknowledged is lost, and the supervisor starts another.
"""

import fcntl
import http.client
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.durability.halting import COMMITTED, PLACES, TAKEN, go_on, halt, has_halted
from tests.durability.soak import serving
from tests.support.pinned import PinnedConnection, connect_to_each
from tests.support.served import ANSWER_LIMIT, Served, teamspace

FIRST = {"username": "ann", "password": "a cautious first passphrase"}


class Group(NamedTuple):
    served: Served
    data: Path
    size: int
    token: str
    acknowledged: list[str]
    """Titles of notes."""

    def create(self, connection: PinnedConnection, title: str) -> int:
        status, _ = connection.call("POST", "/api/notes", {"title": title}, self.token)
        if status == 201:
            self.acknowledged.append(title)
        return status

    def titles(self) -> list[str]:
        page = self.served.call("GET", "/api/notes?limit=100", token=self.token)
        return [note["title"] for note in page["items"]]


@pytest.fixture(scope="module", params=[2, 4])
def group(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Group]:
    with started(tmp_path_factory.mktemp("processes") / "data", request.param, "tests.durability.halting") as group:
        yield group


@contextmanager
def started(data: Path, size: int, program: str) -> Iterator[Group]:
    settings = {"SERVICE_DATA": str(data), "SERVICE_WORKERS": str(size)}
    with Served(settings, program) as served:
        token = served.call("POST", "/api/bootstrap", FIRST)["token"]
        yield Group(served, data, size, token, [])
        assert served.stop() == 0
    found = teamspace("doctor", settings=settings)
    assert found.returncode == 0, found.stdout  # the audit chain is whole


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + ANSWER_LIMIT
    while not condition():
        assert time.monotonic() < end, "it never happens"
        time.sleep(0.01)


def someone_waits(data: Path) -> bool:
    """Whether a process waits for the write turn."""
    with (data / "teamspace.sqlite-queue").open("a") as queue:
        try:
            fcntl.flock(queue, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def is_replaced(group: Group, process: int) -> bool:
    return process not in serving(group.served) and len(serving(group.served)) == group.size


@pytest.mark.parametrize("place", PLACES)
def test_nobody_is_stuck_behind_a_killed_process(group: Group, place: str) -> None:
    with ExitStack() as stack:
        victim, *others = connect_to_each(group.served, group.size, stack)
        pool = stack.enter_context(ThreadPoolExecutor(group.size))
        process, lost = victim.process, f"{place}, lost"
        assert {group.create(each, f"{place}, before {number}") for number, each in enumerate([victim, *others])} == {
            201
        }

        halt(group.data, process, place)
        unanswered = pool.submit(group.create, victim, lost)
        until(lambda: has_halted(group.data))
        waiting = [pool.submit(group.create, each, f"{place}, behind {n}") for n, each in enumerate(others)]
        until(lambda: someone_waits(group.data))
        assert not any(each.done() for each in waiting)

        os.kill(process, signal.SIGKILL)
        assert [each.result(ANSWER_LIMIT) for each in waiting] == [201] * len(others)
        assert_unanswered(unanswered)
    until(lambda: is_replaced(group, process))
    go_on(group.data)
    with ExitStack() as stack:
        for number, each in enumerate(connect_to_each(group.served, group.size, stack)):
            assert group.create(each, f"{place}, after {number}") == 201
    titles = group.titles()
    assert set(group.acknowledged) == set(titles) - {lost} and len(titles) == len(set(titles))
    assert lost not in titles or place == COMMITTED


@pytest.mark.parametrize("place", [pytest.param(TAKEN, id="event loop"), pytest.param(COMMITTED, id="commit")])
def test_nobody_is_stuck_behind_a_process_that_hangs(tmp_path: Path, place: str) -> None:
    with started(tmp_path / "data", 2, "tests.durability.hanging") as group, ExitStack() as stack:
        victim, other = connect_to_each(group.served, group.size, stack)
        pool = stack.enter_context(ThreadPoolExecutor(group.size))
        process = victim.process
        halt(group.data, process, place)
        unanswered = pool.submit(group.create, victim, "lost")
        until(lambda: has_halted(group.data))
        assert group.create(other, "behind") == 201
        assert_unanswered(unanswered)
        until(lambda: is_replaced(group, process))
        assert f"server process {process} does not respond: killing it" in group.served.logs
        assert group.acknowledged == ["behind"] == [title for title in group.titles() if title != "lost"]


def assert_unanswered(asked: Future[int]) -> None:
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        asked.result(ANSWER_LIMIT)


def test_what_a_killed_process_counted_stays_counted(group: Group) -> None:
    with ExitStack() as stack:
        victim, other, *_ = connect_to_each(group.served, group.size, stack)
        process = victim.process
        before = count(other, group.token)
        assert {victim.call("GET", "/api/whoami", None, group.token)[0] for _ in range(7)} == {200}
        assert count(victim, group.token) == before + 7
        os.kill(process, signal.SIGKILL)
        until(lambda: not any(name.endswith(f":{process}") for name in figures(other, group.token)["processes"]))
        assert {count(other, group.token) for _ in range(5)} == {before + 7}
    until(lambda: is_replaced(group, process))
    with ExitStack() as stack:
        for each in connect_to_each(group.served, group.size, stack):
            assert count(each, group.token) == before + 7


def figures(connection: PinnedConnection, token: str) -> Any:
    status, shown = connection.call("GET", "/api/metrics", None, token)
    assert status == 200
    return shown


def count(connection: PinnedConnection, token: str) -> int:
    rows = [row for row in figures(connection, token)["routes"] if row["route"] == "/api/whoami"]
    return sum(row["count"] for row in rows)
