"""One browser, and one shared instance per database."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from hatch_build import is_built
from tests.console.browser import launch
from tests.console.instance import Instance
from tests.support.plugin import DATABASES
from tests.support.postgres import create_database, drop_database
from tests.support.served import DEFAULT_RATES, Served

PROGRAM = "tests.support.cheap_hashes"
Serve = Callable[..., AbstractContextManager[Served]]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Closed after this folder: no other event loop can run beside Playwright's."""
    assert is_built(Path(__file__).parents[2]), "the console has changed since it was built; run: python hatch_build.py"
    with sync_playwright() as playwright, launch(playwright) as launched:
        yield launched


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def serve(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Serve:
    """Starts a server that is not set up yet, with the default rate limits, cheap password hashes, and the given
    further settings.
    """
    numbers = count()

    @contextmanager
    def served(database: str, **more: str) -> Iterator[Served]:
        folder = tmp_path_factory.mktemp("console") / "data"
        settings = {"SERVICE_DATA": str(folder), "SERVICE_SQLITE_SYNC": "normal", **DEFAULT_RATES, **more}
        if database == "sqlite":
            with Served(settings, PROGRAM) as server:
                yield server
            return
        name = f"console_{os.getpid()}_{next(numbers)}"
        with Served({**settings, "SERVICE_DATABASE_URL": create_database(postgres_url, name)}, PROGRAM) as server:
            yield server
        drop_database(postgres_url, name)

    return served


@pytest.fixture(scope="session")
def instances(serve: Serve) -> Iterator[Callable[[str], Instance]]:
    """Returns the shared instance on a database, created on first use."""
    with ExitStack() as stack:
        yield cache(lambda database: Instance(stack.enter_context(serve(database))))


@pytest.fixture
def instance(instances: Callable[[str], Instance], database: str) -> Instance:
    return instances(database)


@pytest.fixture
def sqlite_instance(instances: Callable[[str], Instance]) -> Instance:
    """For tests that do not depend on the database."""
    return instances("sqlite")


@pytest.fixture
def fresh_server(serve: Serve, database: str) -> Iterator[Served]:
    with serve(database) as served:
        yield served
