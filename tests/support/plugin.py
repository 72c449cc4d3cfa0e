"""One PostgreSQL per test run: the fixture `postgres_url`, shared by all workers of pytest-xdist."""

from typing import Any

import pytest

from tests.support.postgres import Postgres

SERVER = pytest.StashKey[Postgres]()


def server_url(config: pytest.Config) -> str:
    """Start this process's server on the first call; it stops when pytest ends."""
    if SERVER not in config.stash:
        server = config.stash[SERVER] = Postgres.start()
        config.add_cleanup(server.stop)
    return config.stash[SERVER].url


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Runs in the controlling process, for each worker of pytest-xdist before it starts."""
    node.workerinput["postgres_url"] = server_url(node.config)


@pytest.fixture(scope="session")
def postgres_url(pytestconfig: pytest.Config) -> str:
    """The administrator's URL of the run's PostgreSQL."""
    workerinput: dict[str, str] | None = getattr(pytestconfig, "workerinput", None)
    return workerinput["postgres_url"] if workerinput else server_url(pytestconfig)
