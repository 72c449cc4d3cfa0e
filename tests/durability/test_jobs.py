"""Jobs and the real server: what ran when it was killed is done by the next, and two servers share the work."""

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.durability.leases import end_leases
from tests.support.served import Served, teamspace

PATIENCE = 45.0
"""Less than the lease of the server's own worker, which is a minute."""
OPERATOR = {"username": "ann", "password": "a job that outlives its server"}


class Client:
    """Asks one server, or another of the same database."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.token = served.call("POST", "/api/bootstrap", OPERATOR)["token"]

    def ask(self, prompt: str, served: Served | None = None) -> str:
        body = {"kind": "ai.chat", "input": {"prompt": prompt}}
        return str((served or self.served).call("POST", "/api/jobs", body, self.token)["id"])

    def ask_of(self, executor: str, prompt: str) -> str:
        body = {"kind": "ai.chat", "input": {"prompt": prompt, "executor": executor}}
        return str(self.served.call("POST", "/api/jobs", body, self.token)["id"])

    def look(self, job: str) -> dict[str, Any]:
        shown: dict[str, Any] = self.served.call("GET", f"/api/jobs/{job}", token=self.token)
        return shown

    async def until(self, job: str, state: str) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            while True:
                if (shown := self.look(job))["state"] == state:
                    return shown
                await asyncio.sleep(0.05)

    def used(self) -> tuple[int, int]:
        """Requests that were paid for, and slots that are taken."""
        rows = self.served.call("GET", "/api/usage", token=self.token)["items"]
        usage = {row["dimension"]: row for row in rows}
        return usage["ai.requests"]["used"], usage["ai.concurrency"]["reserved"]


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> dict[str, str]:
    return {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": database_url}


async def test_what_ran_at_a_kill_is_done_by_the_next_server(settings: dict[str, str], tmp_path: Path) -> None:
    with Served(settings) as served:
        client = Client(served)
        jobs = [client.ask(f"number {number} [simulate:slow:2]") for number in range(3)]
        for job in jobs:
            await client.until(job, "running")
        served.kill()
        if url := settings["SERVICE_DATABASE_URL"]:  # another server might still be at it: the lease must end first
            await end_leases(url)
        served.start()
        for number, job in enumerate(jobs):
            shown = await client.until(job, "succeeded")
            assert shown["attempt"] == 2
            assert f"number {number}" in shown["result"]["text"]
        assert client.used() == (3, 0)
    assert teamspace("doctor", settings=settings).returncode == 0


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_a_server_that_slept_through_its_leases_lands_nothing(settings: dict[str, str], tmp_path: Path) -> None:
    shared = {**settings, "SERVICE_SECRET_KEY": "ab" * 32}
    with Served(shared) as sleeper:
        client = Client(sleeper)
        held = [client.ask(f"held {number} [simulate:slow:2]") for number in range(3)]
        for job in held:
            await client.until(job, "running")
        sleeper.send(signal.SIGSTOP)
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "blobs").symlink_to(tmp_path / "data" / "blobs")
        with Served({**shared, "SERVICE_DATA": str(tmp_path / "other")}) as other:
            client.served = other
            await end_leases(settings["SERVICE_DATABASE_URL"])
            asked = [client.ask(f"asked {number}") for number in range(3)]
            done = [await client.until(job, "succeeded") for job in (*held, *asked)]
            sleeper.send(signal.SIGCONT)
            await until(lambda: all(f"job {job} was taken back" in sleeper.logs for job in held))
            assert [client.look(job) for job in (*held, *asked)] == done
            assert [job["attempt"] for job in done] == [2, 2, 2, 1, 1, 1]
            assert client.used() == (6, 0)
    assert teamspace("doctor", settings=shared).returncode == 0


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            if true():
                return
            await asyncio.sleep(0.05)
