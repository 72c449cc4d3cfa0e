"""The connections to PostgreSQL: lent to a few at a time, and never to two."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from teamspace.core.db import connections
from teamspace.core.db.connections import Connections
from teamspace.core.errors import Overloaded
from tests.support.waiting import until

BUSY = 50


@pytest.fixture
async def pool(postgres_url: str) -> AsyncIterator[Connections]:
    pool = Connections(lambda: asyncpg.connect(postgres_url), 3)
    yield pool
    await pool.close()


async def process_of(connection: Any) -> int:
    return int(await connection.fetchval("SELECT pg_backend_pid()"))


async def test_no_two_have_the_same_and_no_more_are_opened_than_allowed(pool: Connections) -> None:
    held, seen = set[int](), set[int]()

    async def work() -> None:
        async with pool.take() as connection:
            process = await process_of(connection)
            assert process not in held
            held.add(process)
            seen.add(process)
            await asyncio.sleep(0.001)
            held.remove(process)

    await asyncio.gather(*(work() for _ in range(BUSY)))
    assert len(seen) == 3


async def test_who_waits_too_long_is_refused_and_costs_no_connection(
    pool: Connections, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "WAIT_SECONDS", 0.05)
    async with pool.take(), pool.take(), pool.take():
        for _ in range(5):
            with pytest.raises(Overloaded):
                async with pool.take():
                    pass
    async with pool.take(), pool.take(), pool.take() as connection:
        assert await process_of(connection)


async def test_whoever_stops_waiting_when_it_is_their_turn_passes_it_on(pool: Connections) -> None:
    async def take() -> None:
        async with pool.take():
            pass

    async with pool.take(), pool.take():
        async with pool.take():
            first, second = asyncio.create_task(take()), asyncio.create_task(take())
            await asyncio.sleep(0)
        first.cancel()
        async with asyncio.timeout(10):
            await second


async def test_an_interrupted_statement_is_cancelled_and_its_connection_is_not_lent_again(pool: Connections) -> None:
    async with pool.take() as connection:
        interrupted = await process_of(connection)
    with pytest.raises(TimeoutError):
        async with pool.take() as connection:
            await connection.fetchval("SELECT pg_sleep(60)", timeout=0.05)
    async with pool.take() as connection:
        assert await process_of(connection) != interrupted
        running = "SELECT COUNT(*) FROM pg_stat_activity WHERE pid = $1"

        async def has_ended() -> bool:
            return await connection.fetchval(running, interrupted) == 0

        await until(has_ended)


async def test_a_connection_that_the_database_has_closed_is_replaced(pool: Connections) -> None:
    async with pool.take() as connection, pool.take() as other:
        await other.execute("SELECT pg_terminate_backend($1, 10000)", await process_of(connection))
        with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError)):
            await connection.execute("SELECT 1")
    async with pool.take() as first, pool.take() as second, pool.take() as third:
        assert len({await process_of(each) for each in (first, second, third)}) == 3


async def test_a_database_that_refuses_costs_no_connection(postgres_url: str) -> None:
    refusing = True

    async def connect() -> Any:
        if refusing:
            raise OSError("connection refused")
        return await asyncpg.connect(postgres_url)

    pool = Connections(connect, 1)
    for _ in range(3):
        with pytest.raises(OSError, match="refused"):
            async with pool.take():
                pass
    refusing = False
    async with pool.take() as connection:
        assert await process_of(connection)
    await pool.close()


async def test_what_is_not_needed_for_long_is_closed(pool: Connections, monkeypatch: pytest.MonkeyPatch) -> None:
    async with pool.take() as needed, pool.take() as other:
        pass
    monkeypatch.setattr(connections, "IDLE_SECONDS", 0.0)
    async with pool.take() as lent:
        assert lent is needed, "the one that was used last"

    async def is_closed() -> bool:
        return bool(other.is_closed())

    await until(is_closed)
    assert not needed.is_closed()
