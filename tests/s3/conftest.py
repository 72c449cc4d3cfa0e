"""One server on each database for all tests here, and clients that know nothing but what a test tells them."""

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.s3.help import HOST_TOKEN, House, Person
from tests.s3.places import Place
from tests.server.test_tls import self_signed
from tests.support.postgres import create_database, drop_database
from tests.support.served import Served, teamspace


@pytest.fixture(scope="module", autouse=True)
def nothing_from_outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No variable, no file of a home folder and no machine in the cloud tells a client anything."""
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(("AWS_", "RCLONE_")) or name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
                patch.delenv(name)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        yield


@pytest.fixture(scope="session")
def houses(request: pytest.FixtureRequest) -> Iterator[Callable[[str], House]]:
    """Each starts when it is first asked for, and stays for the rest of the run."""
    with ExitStack() as running:
        yield cache(lambda place: running.enter_context(_house(request, place)))


@pytest.fixture(params=["sqlite", "postgres"])
def house(request: pytest.FixtureRequest, houses: Callable[[str], House]) -> House:
    """A test may ask for one of these alone, or for one on SQLite with a certificate (`tls`) or a host (`hosted`)."""
    return houses(request.param)


@contextmanager
def _house(request: pytest.FixtureRequest, place: str) -> Iterator[House]:
    folder: Path = request.getfixturevalue("tmp_path_factory").mktemp("s3")
    settings = {"SERVICE_DATA": str(folder / "data"), "SERVICE_SQLITE_SYNC": "normal"}
    if place == "tls":
        settings |= self_signed(folder).settings
    if place == "hosted":
        settings["SERVICE_PROVISION_TOKEN"] = HOST_TOKEN
    with ExitStack() as around:
        if place == "postgres":
            settings["SERVICE_DATABASE_URL"] = around.enter_context(_database(request))
        served = around.enter_context(Served(settings))
        yield House.founded(served)
        assert "Traceback" not in served.logs, served.logs[served.logs.index("Traceback") :][:4000]
        checked = teamspace("doctor", settings=served.settings)
        assert checked.returncode == 0, checked.stdout + checked.stderr


@contextmanager
def _database(request: pytest.FixtureRequest) -> Iterator[str]:
    admin, name = request.getfixturevalue("postgres_url"), f"s3_{os.getpid()}"
    yield create_database(admin, name, request.getfixturevalue("postgres_template"))
    drop_database(admin, name)


@pytest.fixture
def owner(house: House) -> Person:
    """Owns a team with an empty bucket."""
    return house.owner()


class Running(NamedTuple):
    house: House
    shared: Place


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def running(request: pytest.FixtureRequest, houses: Callable[[str], House]) -> Running:
    house = houses(request.param)
    return Running(house, Place(house.ann.key()))


@pytest.fixture
def place(running: Running) -> Place:
    """In the shared bucket, below a prefix that is this test's own."""
    return running.shared.below(f"{uuid.uuid4().hex}/")


@pytest.fixture
def other(running: Running, place: Place) -> Place:
    """The same place, as another member of the team has it."""
    return Place(running.house.ann.joined_by().key(), place.prefix)


@pytest.fixture
def empty(running: Running) -> Place:
    """A bucket that nobody else uses."""
    return Place(running.house.owner().key())
