"""Fixtures for the whole suite. Tests that touch data run on SQLite and on PostgreSQL."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from teamspace.app import prepare_folder
from teamspace.core.db import connect, migrate
from teamspace.identity.domain import passwords
from teamspace.settings import Settings, load
from tests.support import changes, lost_tasks
from tests.support.cheap_hashes import HASHER
from tests.support.databases import Databases
from tests.support.postgres import create_database, drop_database
from tests.support.world import World
from tests.support.world import world as open_world

pytest_plugins = ["tests.support.plugin"]


@pytest.fixture(scope="session", autouse=True)
def cheap_hashes() -> Iterator[None]:
    """Hashing a password takes 0.2 s by design; tests of the real cost restore the real hasher."""
    real, passwords.hasher = passwords.hasher, HASHER
    yield
    passwords.hasher = real


@pytest.fixture(autouse=True)
def no_silent_changes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Fails a test in which the server changes a note, an object or a conversation and records no event."""
    with changes.required(monkeypatch) as silent:
        yield silent
    assert silent == []


@pytest.fixture(autouse=True)
def no_lost_tasks() -> Iterator[list[str]]:
    """Fails a test during which a task is found that has failed unnoticed; an earlier test may have started it."""
    with lost_tasks.collected() as lost:
        yield lost
    assert lost == []


@pytest.fixture(scope="session")
def postgres_template(postgres_url: str) -> Iterator[str]:
    """A migrated, empty database: copying it is faster than migrating a new one."""
    name = f"template_{os.getpid()}"
    url = create_database(postgres_url, name)
    _migrate(url)
    yield name
    drop_database(postgres_url, name)


@pytest.fixture(scope="session")
def databases(postgres_url: str, postgres_template: str) -> Iterator[Databases]:
    databases = Databases(postgres_url, postgres_template)
    yield databases
    databases.close()


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """Empty for SQLite in the data folder, else the URL of a fresh PostgreSQL database."""
    if request.param == "sqlite":
        yield ""
        return
    databases: Databases = request.getfixturevalue("databases")
    with databases.acquire() as url:
        yield url


@pytest.fixture
def processes(request: pytest.FixtureRequest) -> int:
    """How many processes the server has."""
    default: int = request.config.getoption("processes")
    return getattr(request, "param", default)


@pytest.fixture
def settings(database_url: str, tmp_path: Path, processes: int) -> Settings:
    return load(
        {
            "SERVICE_DATA": str(tmp_path / "data"),
            "SERVICE_DATABASE_URL": database_url,
            "SERVICE_WORKERS": str(processes),
            "SERVICE_SQLITE_SYNC": "normal",
            "SERVICE_RATE_TOKEN": "0",
            "SERVICE_RATE_ANONYMOUS": "0",
        },
        file=tmp_path / "no.env",
    )


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty file: copying it is faster than migrating a new one."""
    path = tmp_path_factory.mktemp("sqlite") / "template.db"
    _migrate(f"sqlite:{path}")
    return path


@pytest.fixture
async def world(settings: Settings, sqlite_template: Path, processes: int) -> AsyncIterator[World]:
    if settings.on_sqlite:
        prepare_folder(settings.data)
        shutil.copyfile(sqlite_template, settings.database.removeprefix("sqlite:"))
    async with open_world(settings, processes=processes) as instance:
        yield instance


def _migrate(url: str) -> None:
    async def prepare() -> None:
        engine = await connect(url, pool=1)
        await migrate(engine)
        await engine.close()

    asyncio.run(prepare())
