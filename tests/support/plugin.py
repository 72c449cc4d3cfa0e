"""Test selection, and one PostgreSQL and one SeaweedFS per run, shared by all pytest-xdist workers."""

import gc
import os
import zlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support.bucket import Buckets, empty_bucket
from tests.support.cpu_times import CpuTimes, used_by
from tests.support.postgres import Postgres
from tests.support.scheduling import Grouped, rank
from tests.support.touched import changed, commit, folder_of, is_touched

DATABASES = ("sqlite", "postgres")
ABOUT_SQL = frozenset({"core", "cost", "durability", "fulltext", "jobs", "quota", "search"})
"""Folders that test SQL, locking or durability, where the databases differ."""
ON_ONE = frozenset({"console"})
"""Folders that reach the database only through routes, which other folders test on both."""
EVERY_TIME = frozenset({"architecture", "docs", "support_test"})
"""Folders of quick tests about the whole source: all of them run whatever has changed."""
UNCHANGED = 8
"""Of the tests of a file whose subject has not changed, a normal run takes every eighth."""
SERVER = pytest.StashKey[Postgres]()
BUCKETS = pytest.StashKey[Buckets]()


# The machine may be busy: what a test takes says nothing about the product.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(CpuTimes(config), "cpu_times")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough",
        action="store_true",
        help="every combination: both databases, every role, every screen size and colour scheme, all examples",
    )
    parser.addoption("--all", action="store_true", help="also every test whose subject has not changed")
    parser.addoption("--processes", type=int, default=1, help="how many processes a server in a test has")
    parser.addoption("--cpu-times", metavar="FILE", help="write the CPU seconds of every folder, fixture and test")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests marked `processes` with one process and with two."""
    if "processes" in metafunc.fixturenames and metafunc.definition.get_closest_marker("processes"):
        metafunc.parametrize("processes", [1, 2], indirect=True, ids=["1-process", "2-processes"])


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Modules and tests live until the end: the garbage collector would walk them again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest folders first. Without `--thorough`, deselect what only repeats a proof and, where the subject has
    not changed, redundant tests and what is not in the sample.
    """
    items.sort(key=lambda item: rank(item.nodeid))
    if config.getoption("thorough"):
        return
    distance = 1 if config.getoption("all") or _are_chosen(config) else UNCHANGED
    touched = {item for item in items if is_touched(item)}
    kept = [item for item in items if not _is_repetition(item) and (item in touched or not _is_redundant(item))]
    outside = _outside_the_sample(kept, distance)
    kept = [item for item in kept if item in touched or item not in outside]
    if deselected := set(items).difference(kept):
        config.hook.pytest_deselected(items=list(deselected))
        items[:] = kept


def _is_repetition(item: pytest.Item) -> bool:
    on_the_other = folder_of(item) in ON_ONE and _runs_on_the_other_database(item)
    return on_the_other or item.get_closest_marker("thorough") is not None


def _is_redundant(item: pytest.Item) -> bool:
    return _runs_on_the_other_database(item) or _is_another_ones_turn(item)


def _are_chosen(config: pytest.Config) -> bool:
    """Whether the command line names tests: those are wanted, changed or not."""
    workerinput: dict[str, bool] | None = getattr(config, "workerinput", None)
    return workerinput["are_chosen"] if workerinput else config.args_source is pytest.Config.ArgsSource.ARGS


def _outside_the_sample(items: list[pytest.Item], distance: int) -> set[pytest.Item]:
    """Of the tests of a file every nth runs, and at least one: n is `distance`, or what the mark `sampled(n)` says. The
    commit decides where to begin, so all run over time.
    """
    files: dict[tuple[str, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        files[item.nodeid.partition("::")[0], _distance(item, distance)].append(item)
    outside: set[pytest.Item] = set()
    for (file, every), tests in files.items():
        first = _chance(f"{commit()} {file}", min(every, len(tests)))
        outside.update(tests)
        outside.difference_update(tests[first::every])
    return outside


def _distance(item: pytest.Item, otherwise: int) -> int:
    if marker := item.get_closest_marker("sampled"):
        return int(marker.args[0])
    return 1 if folder_of(item) in EVERY_TIME else otherwise


def _is_another_ones_turn(item: pytest.Item) -> bool:
    """Of n tests marked `one_of(n, position)` the commit chooses one, so all run over time."""
    marker = item.get_closest_marker("one_of")
    if marker is None:
        return False
    count, position = marker.args
    return _chance(commit(), count) != position


def _runs_on_the_other_database(item: pytest.Item) -> bool:
    """Name and commit decide on which database a test runs, so both are used over time. PostgreSQL gets one in eight,
    where most tests take two to three times as long, and half of those whose subject is SQL, locking or durability.
    """
    database = database_of(item)
    if database is None or (changed() & {"db", "migrations"} and not _takes_turns(item)):
        return False
    on_postgres = _chance(f"{commit()} {item.name.replace(database, '')}", 2 if _is_about_sql(item) else 8) == 0
    return on_postgres != (database == "postgres")


def _chance(seed: str, count: int) -> int:
    """One of `count` numbers, equally likely and always the same for a seed."""
    return zlib.crc32(seed.encode()) % count


def _takes_turns(item: pytest.Item) -> bool:
    """Whether a test runs on one database even if the code for both has changed."""
    return bool(item.get_closest_marker("by_turns")) or folder_of(item) in ON_ONE


def _is_about_sql(item: pytest.Item) -> bool:
    return bool(item.get_closest_marker("both_databases")) or folder_of(item) in ABOUT_SQL


def database_of(item: pytest.Item) -> str | None:
    """The database among the parameters of a test."""
    parameters = getattr(item, "callspec", None)
    return next((value for value in parameters.params.values() if value in DATABASES), None) if parameters else None


def _postgres_server_url(config: pytest.Config) -> str:
    """Start PostgreSQL on the first call; it stops when pytest ends."""
    if SERVER not in config.stash:
        server = config.stash[SERVER] = Postgres.start()
        config.add_cleanup(server.stop)
    return config.stash[SERVER].url


def _buckets_server_url(config: pytest.Config) -> str:
    """Start SeaweedFS on the first call, without waiting until it is ready."""
    if BUCKETS not in config.stash:
        server = config.stash[BUCKETS] = Buckets.start()
        config.add_cleanup(server.stop)
    return config.stash[BUCKETS].url


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Grouped:
    return Grouped(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Pass to each pytest-xdist worker what only the controlling process knows."""
    node.workerinput["are_chosen"] = _are_chosen(node.config)
    node.workerinput["postgres_url"] = _postgres_server_url(node.config)
    node.workerinput["buckets_url"] = _buckets_server_url(node.config)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """The shared servers belong to no worker."""
    others = node.config.pluginmanager.get_plugin("cpu_times").others
    others["PostgreSQL"] = used_by(node.config.stash[SERVER].pid)
    others["SeaweedFS"] = used_by(node.config.stash[BUCKETS].pid)


@pytest.fixture(scope="session")
def thorough(pytestconfig: pytest.Config) -> bool:
    """Whether to run the long form of tests that have a short one."""
    return bool(pytestconfig.getoption("thorough"))


@pytest.fixture
def rounds(request: pytest.FixtureRequest, thorough: bool) -> int:
    """How often a race is repeated: more often if its subject has changed."""
    return 20 if thorough or is_touched(request.node) else 6


@pytest.fixture(scope="session")
def postgres_url(pytestconfig: pytest.Config) -> str:
    """The administrator's URL of PostgreSQL."""
    workerinput: dict[str, str] | None = getattr(pytestconfig, "workerinput", None)
    return workerinput["postgres_url"] if workerinput else _postgres_server_url(pytestconfig)


@pytest.fixture
def bucket(buckets_url: str) -> tuple[str, str]:
    """An empty bucket: server URL and name. One per process, since the server has room for few."""
    name = f"test-{os.getpid()}"
    empty_bucket(buckets_url, name)
    return buckets_url, name


@pytest.fixture(scope="session")
def buckets_url(pytestconfig: pytest.Config) -> str:
    """The URL of SeaweedFS."""
    workerinput: dict[str, str] | None = getattr(pytestconfig, "workerinput", None)
    return workerinput["buckets_url"] if workerinput else _buckets_server_url(pytestconfig)
