"""A server, and its operator as a client."""

import contextlib
import ssl
from collections.abc import Iterator

import pytest

from teamspace.client import Client, Retry
from tests.support.databases import Databases
from tests.support.served import Served
from tests.support.world import PASSWORD

QUICK = Retry(first_pause=0.01, max_pause=0.05)
TLS = ssl.create_default_context()
"""For clients that a test makes by the hundred: each would load the certificates, which takes longer than a request."""


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests of a module: they keep their notes apart by tags."""
    settings = {"SERVICE_DATA": str(tmp_path_factory.mktemp("client") / "data")}
    with contextlib.ExitStack() as held:
        if request.param == "postgres":
            databases: Databases = request.getfixturevalue("databases")
            settings["SERVICE_DATABASE_URL"] = held.enter_context(databases.acquire())
        yield held.enter_context(Served(settings))


@pytest.fixture(scope="module")
def ann(served: Served) -> Iterator[Client]:
    with Client(served.url, retry=QUICK) as anyone:
        token = anyone.instance.bootstrap(username="ann", password=PASSWORD, org="Acme", team="General").token
        yield anyone.with_options(token=token)
