"""One browser and, on each database, one instance that the journeys share."""

import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from itertools import count

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.console.browser import launch
from tests.console.stage import Stage
from tests.support.postgres import create_database, drop_database
from tests.support.served import Served

Serve = Callable[[str], AbstractContextManager[Served]]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """It ends with this folder: while Playwright runs, no other event loop can."""
    with sync_playwright() as playwright, launch(playwright) as found:
        yield found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A journey runs on one database, and the next perhaps on the other: a browser takes long, and sees neither."""
    if "database" in metafunc.fixturenames:
        turn = zlib.crc32(metafunc.function.__name__.encode()) % 2
        databases = [
            pytest.param(name, marks=[] if place == turn else [pytest.mark.thorough])
            for place, name in enumerate(("sqlite", "postgres"))
        ]
        metafunc.parametrize("database", databases)


@pytest.fixture(scope="session")
def serve(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Serve:
    """A server that nobody has set up yet, on the database of that name."""
    numbers = count()

    @contextmanager
    def served(database: str) -> Iterator[Served]:
        settings = {"SERVICE_DATA": str(tmp_path_factory.mktemp("console") / "data"), "SERVICE_SQLITE_SYNC": "normal"}
        if database == "sqlite":
            with Served(settings) as server:
                yield server
            return
        name = f"console_{os.getpid()}_{next(numbers)}"
        with Served({**settings, "SERVICE_DATABASE_URL": create_database(postgres_url, name)}) as server:
            yield server
        drop_database(postgres_url, name)

    return served


@pytest.fixture(scope="session")
def stages(serve: Serve) -> Iterator[Callable[[str], Stage]]:
    """The instance on the database of that name, set up when somebody asks first."""
    with ExitStack() as stack:
        yield cache(lambda database: Stage(stack.enter_context(serve(database))))


@pytest.fixture
def stage(stages: Callable[[str], Stage], database: str) -> Stage:
    return stages(database)


@pytest.fixture
def anywhere(stages: Callable[[str], Stage]) -> Stage:
    """For what no database has a part in: once is enough."""
    return stages("sqlite")


@pytest.fixture
def fresh(serve: Serve, database: str) -> Iterator[Served]:
    with serve(database) as served:
        yield served
