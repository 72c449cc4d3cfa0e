"""One server per database for all tests, and clients without any ambient configuration."""

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.blobs.plugin_stores import EXAMPLE
from tests.s3.help import PROVISION_TOKEN, Instance, Person
from tests.s3.prefixed_bucket import PrefixedBucket
from tests.server.test_tls import self_signed
from tests.support.postgres import create_database, drop_database
from tests.support.served import Served, teamspace

IN_PLUGIN = ", blobs in a plugin"
"""The end of a variant's name: its blob store is the example."""


@pytest.fixture(scope="module", autouse=True)
def no_ambient_configuration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Clients read no environment variables, no files in HOME and no EC2 metadata."""
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(("AWS_", "RCLONE_")) or name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
                patch.delenv(name)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        yield


@pytest.fixture(scope="session")
def instances(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Instance]]:
    """Returns the server of a variant, started on first use and kept for the rest of the run."""
    with ExitStack() as stack:
        yield cache(lambda variant: stack.enter_context(_start(request, variant)))


@pytest.fixture(params=["sqlite", "postgres"])
def instance(request: pytest.FixtureRequest, instances: Callable[[str], Instance]) -> Instance:
    """Further variants, by indirect parameters: SQLite with a certificate (`tls`) or a hosting provider (`hosted`)."""
    return instances(request.param)


@contextmanager
def _start(request: pytest.FixtureRequest, variant: str) -> Iterator[Instance]:
    folder: Path = request.getfixturevalue("tmp_path_factory").mktemp("s3")
    settings = {"SERVICE_DATA": str(folder / "data"), "SERVICE_SQLITE_SYNC": "normal"}
    if variant == "tls":
        settings |= self_signed(folder).settings
    if variant == "hosted":
        settings["SERVICE_PROVISION_TOKEN"] = PROVISION_TOKEN
    if variant.endswith(IN_PLUGIN):
        settings |= {"SERVICE_BLOB_STORE": "sqlite-blobs", "SERVICE_PLUGINS": str(EXAMPLE)}
    with ExitStack() as stack:
        if variant.startswith("postgres"):
            settings["SERVICE_DATABASE_URL"] = stack.enter_context(_database(request))
        served = stack.enter_context(Served(settings))
        yield Instance.set_up(served)
        assert "Traceback" not in served.logs, served.logs[served.logs.index("Traceback") :][:4000]
        doctor = teamspace("doctor", settings=served.settings)
        assert doctor.returncode == 0, doctor.stdout + doctor.stderr


@contextmanager
def _database(request: pytest.FixtureRequest) -> Iterator[str]:
    admin, name = request.getfixturevalue("postgres_url"), f"s3_{uuid.uuid4().hex}"
    yield create_database(admin, name, request.getfixturevalue("postgres_template"))
    drop_database(admin, name)


@pytest.fixture
def owner(instance: Instance) -> Person:
    """The owner of a new team with an empty bucket."""
    return instance.owner()


class SharedBucket(NamedTuple):
    instance: Instance
    bucket: PrefixedBucket


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def shared_bucket(request: pytest.FixtureRequest, instances: Callable[[str], Instance]) -> SharedBucket:
    instance = instances(request.param)
    return SharedBucket(instance, PrefixedBucket(instance.ann.key()))


@pytest.fixture
def bucket(shared_bucket: SharedBucket) -> PrefixedBucket:
    """The shared bucket, below a prefix unique to this test."""
    return shared_bucket.bucket.with_prefix(f"{uuid.uuid4().hex}/")


@pytest.fixture
def other_member(shared_bucket: SharedBucket, bucket: PrefixedBucket) -> PrefixedBucket:
    """The same bucket and prefix with the key of another member."""
    return PrefixedBucket(shared_bucket.instance.ann.add_member().key(), bucket.prefix)


@pytest.fixture
def empty_bucket(shared_bucket: SharedBucket) -> PrefixedBucket:
    """A bucket that no other test uses."""
    return PrefixedBucket(shared_bucket.instance.owner().key())
