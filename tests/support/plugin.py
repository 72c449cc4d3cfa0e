"""One PostgreSQL and one SeaweedFS per test run, shared by all workers of pytest-xdist: `postgres_url`, `buckets_url`."""

import os
import zlib
from typing import Any

import pytest

from tests.support.bucket import Buckets, emptied
from tests.support.postgres import Postgres
from tests.support.timings import Timings
from tests.support.touched import changed, commit, folder_of, is_touched

DATABASES = ("sqlite", "postgres")
ON_BOTH = frozenset({"core", "cost", "durability", "fulltext", "jobs", "quota", "search"})
"""Folders of tests whose subject is SQL, locking or durability: the databases differ there."""
SERVER = pytest.StashKey[Postgres]()
BUCKETS = pytest.StashKey[Buckets]()


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Timings(config), "timings")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough",
        action="store_true",
        help="every combination: all on both databases, every role, every look, all examples",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What only repeats a proof in another combination runs when that is asked for, or when its subject has changed."""
    if config.getoption("thorough"):
        return
    left_out = {item for item in items if _is_repeated(item) and not is_touched(item)}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def _is_repeated(item: pytest.Item) -> bool:
    return bool(item.get_closest_marker("thorough")) or _has_its_turn_elsewhere(item) or _is_outside_the_sample(item)


def _is_outside_the_sample(item: pytest.Item) -> bool:
    """Of tests marked `sampled(n)`, which cost much and change only with their subject, one in n is enough."""
    marker = item.get_closest_marker("sampled")
    return marker is not None and zlib.crc32(item.name.encode()) % marker.args[0] != 0


def _has_its_turn_elsewhere(item: pytest.Item) -> bool:
    """Whether the same test runs on the other database: name and commit decide, so every database has its turn."""
    database = database_of(item)
    if database is None or _needs_both(item):
        return False
    return database != DATABASES[zlib.crc32(f"{commit()} {item.name.replace(database, '')}".encode()) % 2]


def _needs_both(item: pytest.Item) -> bool:
    if item.get_closest_marker("by_turns"):
        return False
    if changed() & {"db", "migrations"}:
        return True
    return bool(item.get_closest_marker("both_databases")) or folder_of(item) in ON_BOTH


def database_of(item: pytest.Item) -> str | None:
    """The database that is among the parameters of a test."""
    parameters = getattr(item, "callspec", None)
    return next((value for value in parameters.params.values() if value in DATABASES), None) if parameters else None


def server_url(config: pytest.Config) -> str:
    """Start this process's server on the first call; it stops when pytest ends."""
    if SERVER not in config.stash:
        server = config.stash[SERVER] = Postgres.start()
        config.add_cleanup(server.stop)
    return config.stash[SERVER].url


def buckets_of(config: pytest.Config) -> str:
    """As for PostgreSQL, but nobody waits for it before a test needs it."""
    if BUCKETS not in config.stash:
        server = config.stash[BUCKETS] = Buckets.start()
        config.add_cleanup(server.stop)
    return config.stash[BUCKETS].url


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Runs in the controlling process, for each worker of pytest-xdist before it starts."""
    node.workerinput["postgres_url"] = server_url(node.config)
    node.workerinput["buckets_url"] = buckets_of(node.config)


@pytest.fixture(scope="session")
def thorough(pytestconfig: pytest.Config) -> bool:
    """Whether to take the long form, where a test has a long and a short one."""
    return bool(pytestconfig.getoption("thorough"))


@pytest.fixture(scope="session")
def postgres_url(pytestconfig: pytest.Config) -> str:
    """The administrator's URL of the run's PostgreSQL."""
    workerinput: dict[str, str] | None = getattr(pytestconfig, "workerinput", None)
    return workerinput["postgres_url"] if workerinput else server_url(pytestconfig)


@pytest.fixture
def bucket(buckets_url: str) -> tuple[str, str]:
    """An empty bucket: the address of its server, and its name. The server's room for further ones is small."""
    name = f"test-{os.getpid()}"
    emptied(buckets_url, name)
    return buckets_url, name


@pytest.fixture(scope="session")
def buckets_url(pytestconfig: pytest.Config) -> str:
    """Where the run's buckets are."""
    workerinput: dict[str, str] | None = getattr(pytestconfig, "workerinput", None)
    return workerinput["buckets_url"] if workerinput else buckets_of(pytestconfig)
