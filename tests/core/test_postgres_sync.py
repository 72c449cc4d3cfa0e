"""On PostgreSQL a commit waits for the disk; a database configured not to sync is refused at the start."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from teamspace.app import StartError
from teamspace.core.db import Engine, connect
from teamspace.core.db.postgres import PostgresTransaction
from teamspace.server import _check_durability
from teamspace.settings import load
from tests.support.postgres import Postgres
from tests.support.served import Served, free_port, teamspace

SHOW = "SHOW synchronous_commit"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A PostgreSQL of its own that syncs."""
    with Postgres.start(fsync=True) as server:
        yield server.url


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Engine]:
    engine = await connect(url, pool=1)
    yield engine
    await engine.close()


@asynccontextmanager
async def configured(url: str, **settings: str) -> AsyncIterator[None]:
    connection = await asyncpg.connect(url)
    for name, value in settings.items():
        await connection.execute(f"ALTER SYSTEM SET {name} = {value}")
    await _reload(connection)
    for name, value in settings.items():
        assert await connection.fetchval(f"SHOW {name}") == value
    yield
    await connection.execute("ALTER SYSTEM RESET ALL")
    await _reload(connection)
    await connection.close()


async def _reload(connection: asyncpg.Connection) -> None:
    loaded = await connection.fetchval("SELECT pg_conf_load_time()")
    await connection.execute("SELECT pg_reload_conf()")
    for _ in range(500):
        if await connection.fetchval("SELECT pg_conf_load_time()") != loaded:
            return
        await asyncio.sleep(0.01)
    raise TimeoutError


# Commits


@pytest.mark.parametrize(("default", "effective"), [("off", "on"), ("on", "on"), ("local", "local")])
async def test_a_commit_waits_for_the_disk_whatever_the_server_default(url: str, default: str, effective: str) -> None:
    async with configured(url, synchronous_commit=default), connected(url) as engine:
        for _ in range(2):
            async with engine.transaction() as session:
                assert tuple((await session.fetch(SHOW, {}))[0]) == (effective,)
            async with engine.transaction(durable=False) as session:
                assert isinstance(session, PostgresTransaction)
                await session.fetch("CREATE TABLE IF NOT EXISTS probes (id INTEGER)", {})
                await session.finish(durable=False)
                assert tuple((await session.fetch(SHOW, {}))[0]) == (effective,), "there is nothing to wait for"
                await session.defer("INSERT INTO probes (id) VALUES (:id)", {"id": 1})
                await session.finish(durable=False)
                assert tuple((await session.fetch(SHOW, {}))[0]) == ("off",), "and the next commit waits again"
        async with engine.bulk_load() as loading:
            assert tuple((await loading.fetch(SHOW, {}))[0]) == (effective,)


async def test_a_default_changed_later_does_not_affect_open_connections(url: str) -> None:
    async with connected(url) as engine, configured(url, synchronous_commit="off"), engine.transaction() as session:
        assert tuple((await session.fetch(SHOW, {}))[0]) == ("on",)


# Start


@pytest.mark.parametrize(
    ("off", "message"),
    [
        (["fsync"], "PostgreSQL has fsync = off: a power cut"),
        (["full_page_writes"], "PostgreSQL has full_page_writes = off: a power cut"),
        (["fsync", "full_page_writes"], "PostgreSQL has fsync = off and full_page_writes = off: a power cut"),
    ],
)
async def test_a_database_that_does_not_sync_needs_an_explicit_setting(
    url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, off: list[str], message: str
) -> None:
    settings = load({"SERVICE_DATABASE_URL": url}, file=tmp_path / "no.env")
    permissive = load({"SERVICE_DATABASE_URL": url, "SERVICE_POSTGRES_SYNC": "any"}, file=tmp_path / "no.env")
    async with connected(url) as engine:
        await _check_durability(engine, settings)
    # Open connections learn of new settings at different times, so this one is opened afterwards, as at a start.
    async with configured(url, **dict.fromkeys(off, "off")), connected(url) as engine:
        with pytest.raises(StartError, match=message):
            await _check_durability(engine, settings)
        assert not caplog.messages
        await _check_durability(engine, permissive)
        assert "a power cut may lose acknowledged writes" in caplog.text


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_server_refuses_to_start_and_leaves_the_database_unchanged(
    postgres_url: str, tmp_path: Path, workers: str
) -> None:
    """The PostgreSQL of the other tests does not sync."""
    settings = {"SERVICE_DATABASE_URL": postgres_url, "SERVICE_DATA": str(tmp_path), "SERVICE_WORKERS": workers}
    result = teamspace("serve", settings={**settings, "SERVICE_PORT": str(free_port())})
    assert not asyncio.run(_tables(postgres_url))
    assert result.returncode != 0
    (line,) = result.stderr.splitlines()
    assert line.startswith("teamspace: PostgreSQL has fsync = off and full_page_writes = off: a power cut would lose")
    assert "SERVICE_POSTGRES_SYNC=any" in line


async def _tables(url: str) -> int:
    connection = await asyncpg.connect(url)
    try:
        return int(await connection.fetchval("SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'"))
    finally:
        await connection.close()


def test_a_server_on_a_database_that_syncs_starts(url: str, tmp_path: Path) -> None:
    settings = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": url, "SERVICE_POSTGRES_SYNC": "full"}
    with Served(settings) as served:
        assert served.healthy()
