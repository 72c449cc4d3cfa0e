"""Two servers on one PostgreSQL: they serve the same files, and one continues the other's jobs."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from teamspace.blobs import SMALL
from teamspace.client import Client
from teamspace.client.models import JobDetail
from tests.support.postgres import create_database, drop_database
from tests.support.served import Served, teamspace

PASSWORD = "a cautious first passphrase"
PATIENCE = 60.0
"""Seconds. Less than the lease of a remote worker, so that the test does not wait for one."""
FILE = b"x" * (SMALL + 1)


@pytest.fixture
def shared(postgres_url: str) -> Iterator[dict[str, str]]:
    """The settings that both servers share."""
    name = f"two_servers_{os.getpid()}"
    url = create_database(postgres_url, name)
    yield {"SERVICE_DATABASE_URL": url, "SERVICE_SECRET_KEY": "ab" * 32, "SERVICE_POSTGRES_SYNC": "any"}
    drop_database(postgres_url, name)


def owner(served: Served) -> str:
    with Client(served.url, "") as client:
        return client.instance.bootstrap(username="ann", password=PASSWORD).token


def test_a_server_with_another_blob_folder_refuses_to_start(shared: dict[str, str], tmp_path: Path) -> None:
    one, other = ({**shared, "SERVICE_DATA": str(tmp_path / name)} for name in ("one", "other"))
    with Served(one) as first:
        token = owner(first)
        made = Client(first.url, token).repo.put("a.bin", FILE)
        refused = teamspace("serve", settings=other)
        assert refused.returncode != 0
        assert "is not the blob folder of this database" in refused.stderr
        refused = teamspace("collect", settings=other)
        assert refused.returncode != 0 and "is not the blob folder" in refused.stderr
        (tmp_path / "other" / "blobs").symlink_to(tmp_path / "one" / "blobs")
        with Served(other) as second:
            client = Client(second.url, token)
            assert client.repo.get(made.id).size == len(FILE)
            client.repo.put("b.bin", FILE)
            assert second.stop() == 0
        assert first.stop() == 0
    with Served(one) as again:
        assert again.stop() == 0


def test_a_folder_without_its_id_gets_a_helpful_error(shared: dict[str, str], tmp_path: Path) -> None:
    settings = {**shared, "SERVICE_DATA": str(tmp_path / "one")}
    with Served(settings) as served:
        Client(served.url, owner(served)).repo.put("a.bin", FILE)
        assert served.stop() == 0
    (tmp_path / "one" / "blobs" / ".folder-id").unlink()
    refused = teamspace("serve", settings=settings)
    assert "If it is the same folder, write" in refused.stderr


def test_a_killed_servers_job_continues_on_another_server(shared: dict[str, str], tmp_path: Path) -> None:
    settings = {**shared, "SERVICE_DATA": str(tmp_path / "data")}
    with Served(settings) as first:
        token = owner(first)
        job = Client(first.url, token).jobs.create(kind="ai.chat", input={"prompt": "[simulate:hang]"})
        _wait_for_attempt(Client(first.url, token), job.id, 1)
        with Served(settings) as second:
            first.kill()
            _wait_for_attempt(Client(second.url, token), job.id, 2)
            second.kill()


def _wait_for_attempt(client: Client, job_id: str, attempt: int) -> None:
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        job = client.jobs.get(job_id)
        if isinstance(job, JobDetail) and (job.state, job.attempt) == ("running", attempt):
            return
        time.sleep(0.1)
    raise AssertionError(f"{job} does not run in attempt {attempt}")
