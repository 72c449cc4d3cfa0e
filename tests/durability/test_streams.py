"""A server is killed while it writes streams: what it had saved is read after the restart, and nothing twice."""

import asyncio
import random
from pathlib import Path

import httpx2
import pytest

from teamspace.app import open_for_inspection
from teamspace.settings import load
from tests.events.help import Told, parse
from tests.support.served import Served
from tests.support.world import PASSWORD

STREAMS, KILLS, RATE = 10, 2, 100
PATH = "/api/x/scribe/streams"


class Client:
    """Reads one stream until its server is gone; `rows` are the numbers and texts it was told."""

    def __init__(self) -> None:
        self.events: list[Told] = []

    async def write(self, http: httpx2.AsyncClient) -> None:
        await self._read(http, "POST", json={"rows": 10_000, "rate": RATE})

    async def resume(self, http: httpx2.AsyncClient, position: str) -> None:
        await self._read(http, "GET", headers={"last-event-id": position})

    async def _read(self, http: httpx2.AsyncClient, method: str, **options: object) -> None:
        rest = b""
        async with http.stream(method, PATH, **options) as answer:  # type: ignore[arg-type]
            assert answer.status_code == 200
            async for chunk in answer.aiter_raw():
                whole, _, rest = (rest + chunk).rpartition(b"\n\n")
                self.events += parse(whole)

    @property
    def stream_id(self) -> str:
        return self.events[0].cursor.partition(":")[0]

    @property
    def numbers(self) -> list[int]:
        return [int(event.cursor.partition(":")[2]) for event in self.events]

    @property
    def texts(self) -> list[str]:
        return [event.data["text"] for event in self.events if event.name == "delta"]


async def saved(settings: dict[str, str]) -> dict[str, int]:
    """How many rows of each stream the database has; no server runs."""
    values = load(settings, file=Path("/dev/null"))
    async with open_for_inspection(values) as db:
        found = await db.all(str, "SELECT id || ':' || saved FROM streams WHERE NOT ended")
    return {stream_id: int(number) for stream_id, _, number in (text.partition(":") for text in found)}


@pytest.mark.both_databases
async def test_saved_rows_survive_a_kill_and_none_is_read_twice(tmp_path: Path, database_url: str) -> None:
    settings = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": database_url}
    served = Served(settings, program="tests.support.scribe")
    try:
        await asyncio.to_thread(served.start)
        token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        headers = {"authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(base_url=served.url, headers=headers, timeout=30) as http:
            for _ in range(KILLS):
                await _kill_and_compare(served, http, settings)
    finally:
        served.kill()


async def _kill_and_compare(served: Served, http: httpx2.AsyncClient, settings: dict[str, str]) -> None:
    clients = [Client() for _ in range(STREAMS)]
    reading = [asyncio.create_task(client.write(http)) for client in clients]
    async with asyncio.timeout(20):
        while not all(len(client.events) > RATE for client in clients):  # noqa: ASYNC110 - they are separate tasks
            await asyncio.sleep(0.01)
    await asyncio.sleep(random.uniform(0, 0.3))
    served.send_sigkill()
    ends = await asyncio.gather(*reading, return_exceptions=True)
    assert all(isinstance(end, httpx2.HTTPError) for end in ends)
    await asyncio.to_thread(served.kill)
    numbers = await saved(settings)
    await asyncio.to_thread(served.start)
    for client in clients:
        await _compare(http, client, numbers[client.stream_id])


async def _compare(http: httpx2.AsyncClient, client: Client, saved: int) -> None:
    assert saved > 0, "it was saved for about a second"
    await http.delete(f"{PATH}/{client.stream_id}")
    again, rest, seen = Client(), Client(), client.events[-1].cursor
    await again.resume(http, f"{client.stream_id}:0")
    await rest.resume(http, seen)
    assert again.numbers[:-1] == list(range(1, saved + 1)), "every saved row, once"
    assert again.texts == [f" word{number}" for number in range(saved)]
    assert client.numbers == list(range(1, len(client.numbers) + 1))
    assert client.texts + rest.texts == [f" word{number}" for number in range(max(saved, len(client.texts)))]
    assert [event.name for event in (again.events[-1], rest.events[-1])] == ["error", "error"]
