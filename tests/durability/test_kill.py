"""A short run of scripts/soak, and an orderly stop."""

import asyncio
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.durability.ai_soak import AiSoak
from tests.durability.file_soak import FileSoak
from tests.durability.job_soak import JobSoak
from tests.durability.run_soak import RunSoak
from tests.durability.soak import OPERATOR, Plan, Soak
from tests.durability.verification import ask
from tests.durability.wire import Answer, Connection
from tests.support.postgres import Postgres
from tests.support.served import Served

pytestmark = [
    pytest.mark.by_turns,
    pytest.mark.about(
        "agents", "ai", "blobs", "core", "db", "events", "jobs", "migrations", "repository", "server", "worker"
    ),
]

SHORT = Plan(cycles=4, clients=6, seed=1, outage_every=4)
FEW = Plan(cycles=2, clients=3, seed=1, outage_every=2)
DRAIN_LIMIT = 30.0


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def postgres(request: pytest.FixtureRequest) -> Iterator[Postgres | None]:
    """A separate PostgreSQL, since it is killed; None for SQLite."""
    if request.param == "sqlite":
        yield None
        return
    with Postgres.start(fsync=True) as server:
        yield server


async def test_acknowledged_writes_survive_a_kill(postgres: Postgres | None, tmp_path: Path) -> None:
    with Soak(SHORT, tmp_path, postgres) as soak:
        await soak.run()
    assert soak.journal.acknowledged > 20
    assert soak.journal.unknown > 0


@pytest.mark.parametrize("workers", [2, pytest.param(4, marks=pytest.mark.thorough)])
async def test_acknowledged_writes_survive_when_processes_are_killed(
    postgres: Postgres | None, tmp_path: Path, workers: int
) -> None:
    """One of several processes, their supervisor, and all of them."""
    with Soak(Plan(cycles=3, clients=6, seed=1, outage_every=99, workers=workers), tmp_path, postgres) as soak:
        await soak.run()
    assert soak.journal.acknowledged > 20


async def test_a_job_ends_once_when_servers_and_workers_are_killed(postgres: Postgres | None, tmp_path: Path) -> None:
    with JobSoak(FEW, tmp_path, postgres, expire_leases=True) as soak:
        await soak.run()
    assert soak.counts["completed by workers"] > 3
    assert soak.counts["paused workers refused"] == 1


async def test_a_run_loses_and_repeats_nothing_when_servers_are_killed(
    postgres: Postgres | None, tmp_path: Path
) -> None:
    with RunSoak(FEW, tmp_path, postgres, expire_leases=True) as soak:
        await soak.run()
    assert soak.counts["runs ended"] > 0


async def test_every_version_survives_a_kill_and_no_garbage_is_left(postgres: Postgres | None, tmp_path: Path) -> None:
    with FileSoak(FEW, tmp_path, postgres) as soak:
        await soak.run()
    assert soak.counts["writes acknowledged"] > 5
    assert soak.counts["blobs collected"] > 0
    assert min(soak.counts["in rows"], soak.counts["in files"]) > 0


@pytest.mark.parametrize("workers", [1, 2])
async def test_turns_and_runs_of_agents_end_once_after_a_kill(
    postgres: Postgres | None, tmp_path: Path, workers: int
) -> None:
    """Each call of a model is paid once, or is one of those whose end nobody knows."""
    plan = Plan(cycles=workers + 1, clients=3, seed=1, outage_every=workers + 1, workers=workers)
    with AiSoak(plan, tmp_path, postgres) as soak:
        await soak.run()
    assert len(soak.model.calls) > 5
    assert soak.counts["workers killed"] > 0 and soak.counts["calls paid"] > 0
    assert soak.counts["agent done"] + soak.counts["stream done"] + soak.counts["chat done"] > 0


def test_a_first_start_that_was_killed_can_be_repeated(postgres: Postgres | None, tmp_path: Path) -> None:
    url = postgres.create_database(tmp_path.name) if postgres else ""
    served = Served({"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": url})
    try:
        for moment in (0.25, 0.3, 0.35):
            served.launch()
            time.sleep(moment)
            served.kill()
        served.start()
    finally:
        served.kill()


async def wait_for_writes(soak: Soak, count: int) -> None:
    """Wait until more than so many are acknowledged."""
    async with asyncio.timeout(DRAIN_LIMIT):
        while True:
            if soak.journal.acknowledged > count:
                return
            await asyncio.sleep(0.1)


async def test_a_stopping_server_answers_accepted_requests(postgres: Postgres | None, tmp_path: Path) -> None:
    with Soak(SHORT, tmp_path, postgres) as soak:
        soak.start()
        await soak.populate()
        async with soak.load():
            await wait_for_writes(soak, 20)
            slow = await begin_to_sign_in(soak)
            began = time.monotonic()
            code = await asyncio.to_thread(soak.served.stop)
        assert code == 0
        assert time.monotonic() - began < DRAIN_LIMIT
        assert (await slow).status == 200
        soak.doctor()
        # A keep-alive connection can be closed before the server read the next request, which then has no effect.
        for client in soak.clients:
            for subject in client.subjects:
                soak.journal.deny(subject)
        soak.start()
        await soak.verify()
        assert soak.journal.acknowledged > 20


async def begin_to_sign_in(soak: Soak) -> "asyncio.Task[Answer]":
    """Send the request; checking the password is slow, so this is in progress when the server stops."""
    connection = Connection(soak.served.port)
    await connection.open()
    asked = asyncio.create_task(ask(connection, "POST", "/api/login", OPERATOR))
    await asyncio.sleep(0)
    return asked


async def test_a_stopping_server_answers_requests_it_had_not_read(postgres: Postgres | None, tmp_path: Path) -> None:
    with Soak(SHORT, tmp_path, postgres) as soak:
        soak.start()
        await soak.populate()
        kept = Connection(soak.served.port)
        await ask(kept, "GET", "/health")
        soak.served.send(signal.SIGSTOP)
        sent = [asyncio.create_task(ask(kept, "GET", "/health")), await begin_to_sign_in(soak)]
        soak.served.send(signal.SIGTERM)
        soak.served.send(signal.SIGCONT)
        assert [answer.status for answer in await asyncio.gather(*sent)] == [200, 200]
        assert await asyncio.to_thread(soak.served.stop) == 0
