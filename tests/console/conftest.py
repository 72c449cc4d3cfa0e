"""One browser and, on each database, one instance that the journeys share."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from itertools import count

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.console.browser import launch
from tests.console.stage import Stage
from tests.support.plugin import DATABASES, database_of
from tests.support.postgres import create_database, drop_database
from tests.support.served import DEFAULT_RATES, Served

Serve = Callable[..., AbstractContextManager[Served]]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """It ends with this folder: while Playwright runs, no other event loop can."""
    with sync_playwright() as playwright, launch(playwright) as found:
        yield found


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def pytest_itemcollected(item: pytest.Item) -> None:
    """Tests that share an instance run on one worker."""
    shared = "axe" if item.path.stem == "test_accessibility" else f"console-{database_of(item) or 'sqlite'}"
    item.add_marker(pytest.mark.xdist_group(shared))


@pytest.fixture(scope="session")
def serve(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Serve:
    """A server with the rate limits it ships with that nobody has set up yet, on the database of that name.

    Further settings are given by name.
    """
    numbers = count()

    @contextmanager
    def served(database: str, **more: str) -> Iterator[Served]:
        folder = tmp_path_factory.mktemp("console") / "data"
        settings = {"SERVICE_DATA": str(folder), "SERVICE_SQLITE_SYNC": "normal", **DEFAULT_RATES, **more}
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
