"""Jobs on real servers: a killed server's jobs are run by the next, and two servers share the work."""

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.durability.leases import end_leases
from tests.support.served import Served, teamspace

PATIENCE = 120.0
"""Less than the lease of the server's own worker, which is a minute."""
OPERATOR = {"username": "ann", "password": "a job that outlives its server"}


class Client:
    """Calls one server, or another on the same database."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.token = served.call("POST", "/api/bootstrap", OPERATOR)["token"]

    def create_job(self, prompt: str, served: Served | None = None) -> str:
        body = {"kind": "ai.chat", "input": {"prompt": prompt}}
        return str((served or self.served).call("POST", "/api/jobs", body, self.token)["id"])

    def create_job_on(self, executor: str, prompt: str) -> str:
        body = {"kind": "ai.chat", "input": {"prompt": prompt, "executor": executor}}
        return str(self.served.call("POST", "/api/jobs", body, self.token)["id"])

    def get_job(self, job: str) -> dict[str, Any]:
        shown: dict[str, Any] = self.served.call("GET", f"/api/jobs/{job}", token=self.token)
        return shown

    async def wait_for(self, job: str, state: str) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            while True:
                if (shown := self.get_job(job))["state"] == state:
                    return shown
                await asyncio.sleep(0.05)

    def used(self) -> tuple[int, int]:
        """Return the charged requests and the reserved slots."""
        rows = self.served.call("GET", "/api/usage", token=self.token)["items"]
        usage = {row["dimension"]: row for row in rows}
        return usage["ai.requests"]["used"], usage["ai.concurrency"]["reserved"]


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> dict[str, str]:
    return {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": database_url}


async def test_jobs_running_at_a_kill_are_run_by_the_next_server(settings: dict[str, str], tmp_path: Path) -> None:
    with Served(settings) as served:
        client = Client(served)
        jobs = [client.create_job(f"number {number} [simulate:slow:2]") for number in range(3)]
        for job in jobs:
            await client.wait_for(job, "running")
        served.kill()
        if url := settings["SERVICE_DATABASE_URL"]:  # another server might still run it: the lease must end first
            await end_leases(url)
        served.start()
        for number, job in enumerate(jobs):
            shown = await client.wait_for(job, "succeeded")
            assert shown["attempt"] == 2
            assert f"number {number}" in shown["result"]["text"]
        assert client.used() == (3, 0)
    assert teamspace("doctor", settings=settings).returncode == 0


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_a_server_paused_beyond_its_leases_completes_nothing(settings: dict[str, str], tmp_path: Path) -> None:
    shared = {**settings, "SERVICE_SECRET_KEY": "ab" * 32}
    with Served(shared) as paused:
        client = Client(paused)
        claimed = [client.create_job(f"claimed {number} [simulate:slow:2]") for number in range(3)]
        for job in claimed:
            await client.wait_for(job, "running")
        paused.send(signal.SIGSTOP)
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "blobs").symlink_to(tmp_path / "data" / "blobs")
        with Served({**shared, "SERVICE_DATA": str(tmp_path / "other")}) as other:
            client.served = other
            await end_leases(settings["SERVICE_DATABASE_URL"])
            created = [client.create_job(f"created {number}") for number in range(3)]
            done = [await client.wait_for(job, "succeeded") for job in (*claimed, *created)]
            paused.send(signal.SIGCONT)
            await wait_until(lambda: all(f"job {job} lost its claim" in paused.logs for job in claimed))
            assert [client.get_job(job) for job in (*claimed, *created)] == done
            assert [job["attempt"] for job in done] == [2, 2, 2, 1, 1, 1]
            assert client.used() == (6, 0)
    assert teamspace("doctor", settings=shared).returncode == 0


async def wait_until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            if condition():
                return
            await asyncio.sleep(0.05)
