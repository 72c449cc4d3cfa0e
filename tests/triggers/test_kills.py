"""`kill -9` during uploads: a version and the runs that it starts are stored together, or none of them is."""

import asyncio
from pathlib import Path

import httpx2
import msgspec
import pytest

from teamspace.app import open_for_inspection
from teamspace.settings import load
from tests.support.served import Served
from tests.support.world import PASSWORD
from tests.triggers.help import spec

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.about("core", "db", "jobs", "migrations", "repository", "triggers", "workflows"),
]
KILLS, CLIENTS = 3, 4


class Stored(msgspec.Struct, frozen=True):
    """A version, and how many rows of history, runs and first steps belong to it."""

    id: str
    fires: int
    runs: int
    jobs: int


async def upload(http: httpx2.AsyncClient, client: int, acknowledged: list[str]) -> None:
    """Write version after version, until the server dies."""
    try:
        for number in range(10_000):
            answer = await http.put(f"/api/repo/{client}/{number % 7}.txt", content=b"%d" % number)
            assert answer.status_code in (200, 201), answer.text
            acknowledged.append(answer.json()["versions"][0]["id"])
    except httpx2.HTTPError:
        pass


async def stored(settings: dict[str, str]) -> list[Stored]:
    async with open_for_inspection(load(settings, file=Path("/dev/null"))) as db:
        return await db.all(
            Stored,
            "SELECT v.id, (SELECT COUNT(*) FROM trigger_fires AS f WHERE f.version_id = v.id),"
            " (SELECT COUNT(*) FROM trigger_fires AS f JOIN runs ON runs.id = f.run_id WHERE f.version_id = v.id),"
            " (SELECT COUNT(*) FROM trigger_fires AS f JOIN run_items AS i ON i.run_id = f.run_id WHERE f.version_id = v.id)"
            " FROM object_versions AS v",
        )


async def count_runs(settings: dict[str, str]) -> int:
    async with open_for_inspection(load(settings, file=Path("/dev/null"))) as db:
        return await db.one(int, "SELECT COUNT(*) FROM runs") or 0


async def test_a_version_and_its_runs_survive_a_kill_together(tmp_path: Path, database_url: str) -> None:
    settings = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": database_url, "SERVICE_JOB_SLOTS": "1"}
    served, acknowledged = Served(settings), list[str]()
    try:
        await asyncio.to_thread(served.start)
        token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        headers = {"authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(base_url=served.url, headers=headers, timeout=30) as http:
            assert (await http.post("/api/workflows", json=spec(object_id="string"))).status_code == 201
            for _ in range(2):
                assert (await http.post("/api/doc-triggers", json={"workflow_slug": "file"})).status_code == 201
            for kill in range(KILLS):
                before = len(acknowledged)
                writing = [asyncio.create_task(upload(http, client, acknowledged)) for client in range(CLIENTS)]
                async with asyncio.timeout(60):
                    while len(acknowledged) < before + 8 + kill:  # noqa: ASYNC110
                        await asyncio.sleep(0.01)
                await asyncio.to_thread(served.kill)
                await asyncio.gather(*writing)
                rows = await stored(settings)
                assert set(acknowledged) <= {row.id for row in rows}
                assert {(row.fires, row.runs, row.jobs) for row in rows} == {(2, 2, 2)}
                assert await count_runs(settings) == 2 * len(rows), "no run without its version"
                await asyncio.to_thread(served.start)
    finally:
        served.kill()
