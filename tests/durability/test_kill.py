"""The short form of scripts/soak, and the end that is no crash."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.durability.archive import Archive
from tests.durability.labour import Labour
from tests.durability.soak import OPERATOR, Plan, Soak
from tests.durability.verification import ask
from tests.durability.wire import Answer, Connection
from tests.support.postgres import Postgres
from tests.support.served import Served

SHORT = Plan(cycles=4, clients=6, seed=1, outage_every=4)
FEW = Plan(cycles=2, clients=3, seed=1, outage_every=2)
DRAIN_LIMIT = 30.0


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def postgres(request: pytest.FixtureRequest) -> Iterator[Postgres | None]:
    """Not the one of the other tests, since it is killed; None for SQLite."""
    if request.param == "sqlite":
        yield None
        return
    with Postgres.start(fsync=True) as server:
        yield server


async def test_what_was_acknowledged_survives_a_kill(postgres: Postgres | None, tmp_path: Path) -> None:
    with Soak(SHORT, tmp_path, postgres) as soak:
        await soak.run()
    assert soak.journal.acknowledged > 20
    assert soak.journal.unknown > 0


async def test_a_job_ends_once_whoever_is_killed(postgres: Postgres | None, tmp_path: Path) -> None:
    with Labour(FEW, tmp_path, postgres, hurry=True) as labour:
        await labour.run()
    assert labour.counts["landed by workers"] > 3
    assert labour.counts["sleepers refused"] == 1


async def test_every_version_survives_a_kill_and_nothing_else_is_left(
    postgres: Postgres | None, tmp_path: Path
) -> None:
    with Archive(FEW, tmp_path, postgres) as archive:
        await archive.run()
    assert archive.counts["writes acknowledged"] > 5
    assert archive.counts["blobs collected"] > 0
    assert min(archive.counts["in rows"], archive.counts["in files"]) > 0


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


async def test_a_server_told_to_stop_answers_what_it_accepted(postgres: Postgres | None, tmp_path: Path) -> None:
    with Soak(SHORT, tmp_path, postgres) as soak:
        soak.start()
        await soak.populate()
        async with soak.load():
            await asyncio.sleep(0.5)
            slow = asyncio.create_task(sign_in(soak))
            await asyncio.sleep(0.05)
            began = time.monotonic()
            code = await asyncio.to_thread(soak.served.stop)
        assert code == 0
        assert time.monotonic() - began < DRAIN_LIMIT
        assert (await slow).status == 200
        soak.doctor()
        # A keep-alive connection may end before the server took the next request: then it had no effect either.
        for client in soak.clients:
            for subject in client.subjects:
                soak.journal.deny(subject)
        soak.start()
        await soak.verify()
        assert soak.journal.acknowledged > 20


async def sign_in(soak: Soak) -> Answer:
    """Checking a password takes a while, so this is under way when the server is told to stop."""
    return await ask(Connection(soak.served.port), "POST", "/api/login", OPERATOR)
