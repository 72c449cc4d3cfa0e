"""Per database: one world for all cases, one for tests that count all rows, and a hosted one that is suspended."""

import itertools
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import pytest
import pytest_asyncio

from teamspace.settings import Settings, load
from tests.isolation.stage import PROVISION_TOKEN, Stage
from tests.support.postgres import create_database, drop_database
from tests.support.world import world

_names = (f"isolation_{os.getpid()}_{number}" for number in itertools.count())


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def stage_settings(request: pytest.FixtureRequest) -> Iterator[tuple[Settings, Settings, Settings]]:
    """Settings of three instances on the same kind of database."""
    with (
        _settings(request) as first,
        _settings(request) as second,
        _settings(request, SERVICE_PROVISION_TOKEN=PROVISION_TOKEN) as hosted,
    ):
        yield first, second, hosted


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def stage(stage_settings: tuple[Settings, Settings, Settings]) -> AsyncIterator[Stage]:
    async with world(stage_settings[0], processes=stage_settings[0].workers) as instance:
        yield await Stage.build(instance)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def quiet_stage(stage_settings: tuple[Settings, Settings, Settings]) -> AsyncIterator[Stage]:
    """A stage with only the rows that its own tests create."""
    async with world(stage_settings[1], processes=stage_settings[1].workers) as instance:
        yield await Stage.build(instance)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def hosted_stage(stage_settings: tuple[Settings, Settings, Settings]) -> AsyncIterator[Stage]:
    async with world(stage_settings[2], processes=stage_settings[2].workers) as instance:
        yield await Stage.build(instance)


@pytest_asyncio.fixture(loop_scope="session")
async def suspended_stage(hosted_stage: Stage) -> Stage:
    """Like `stage`, but in hosted mode and suspended by the provider."""
    await hosted_stage.suspend_tenant()
    return hosted_stage


@contextmanager
def _settings(request: pytest.FixtureRequest, **more: str) -> Iterator[Settings]:
    name = next(_names)
    folder = request.getfixturevalue("tmp_path_factory").mktemp(name)
    values = {
        "SERVICE_DATA": str(folder / "data"),
        "SERVICE_WORKERS": str(request.config.getoption("processes")),
        "SERVICE_SQLITE_SYNC": "normal",
        "SERVICE_RATE_TOKEN": "0",
        "SERVICE_RATE_ANONYMOUS": "0",
        **more,
    }
    if request.param == "sqlite":
        yield load(values, file=folder / "no.env")
        return
    admin = request.getfixturevalue("postgres_url")
    url = create_database(admin, name, request.getfixturevalue("postgres_template"))
    yield load(values | {"SERVICE_DATABASE_URL": url}, file=folder / "no.env")
    drop_database(admin, name)
