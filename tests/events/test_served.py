"""Event streams of a real server, over sockets."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from teamspace.events.domain.hub import OF_TOKEN
from tests.events.help import Told, parse, until
from tests.support.served import Served
from tests.support.world import PASSWORD


class Client:
    """One connected stream; `events` grows as they arrive."""

    def __init__(self, answer: httpx2.Response) -> None:
        self.answer, self.events, self.ended = answer, list[Told](), False
        self.task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        rest = b""
        with contextlib.suppress(httpx2.HTTPError):
            async for chunk in self.answer.aiter_raw():
                whole, _, rest = (rest + chunk).rpartition(b"\n\n")
                self.events += parse(whole)
        self.ended = True


@asynccontextmanager
async def connected(served: Served, token: str, cursor: str = "") -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {token}", **({"last-event-id": cursor} if cursor else {})}
    async with (
        httpx2.AsyncClient(base_url=served.url, timeout=30) as http,
        http.stream("GET", "/api/events", headers=headers) as answer,
    ):
        client = Client(answer)
        yield client
        client.task.cancel()


@pytest.fixture
async def served(tmp_path: Path, database_url: str) -> AsyncIterator[Served]:
    settings = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": database_url}
    server = await asyncio.to_thread(Served(settings).__enter__)
    yield server
    server.kill()


async def call(served: Served, token: str, method: str, path: str, body: object = None) -> httpx2.Response:
    async with httpx2.AsyncClient(base_url=served.url, timeout=30) as http:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        return await http.request(method, path, json=body, headers=headers)


async def sign_up(served: Served) -> str:
    answer = await call(served, "", "POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})
    token: str = answer.json()["token"]
    return token


async def test_fifty_streams_are_told_end_with_the_server_and_resume_after_it(served: Served) -> None:
    token = await sign_up(served)
    tokens = []
    for number in range(3):
        issued = await call(served, token, "POST", "/api/tokens", {"name": f"{number}"})
        tokens.append(issued.json()["token"])
    async with contextlib.AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(connected(served, tokens[number % 3])) for number in range(3 * 17)]
        await until(lambda: all(client.events for client in clients), 30)
        headers = clients[0].answer.headers
        assert headers["content-type"] == "text/event-stream" and "no-store" in headers["cache-control"]
        assert headers["x-accel-buffering"] == "no"
        started = time.monotonic()
        note = (await call(served, token, "POST", "/api/notes", {"title": "x"})).json()["id"]
        await until(lambda: all(len(client.events) == 2 for client in clients), 30)
        assert time.monotonic() - started < 5
        assert {client.events[1].change for client in clients} == {("note", note, "created")}
        cursor = clients[0].events[1].cursor
        started = time.monotonic()
        assert await asyncio.to_thread(served.stop) == 0
        assert time.monotonic() - started < 5, "open streams do not delay the stop"
        await until(lambda: all(client.ended for client in clients))
    await asyncio.to_thread(served.start)
    other = (await call(served, token, "POST", "/api/notes", {"title": "y"})).json()["id"]
    async with connected(served, token, cursor) as again:
        await until(lambda: len(again.events) == 2, 30)
        assert [event.name for event in again.events] == ["ready", "change"]
        assert again.events[1].change == ("note", other, "created")


@pytest.mark.by_turns
async def test_a_token_has_a_limited_number_of_streams_and_gets_them_back(served: Served) -> None:
    token = await sign_up(served)
    async with contextlib.AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(connected(served, token)) for _ in range(OF_TOKEN)]
        await until(lambda: all(client.events for client in clients), 30)
        refused = await call(served, token, "GET", "/api/events")
        assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    async with asyncio.timeout(10):
        while True:
            async with connected(served, token) as client:
                if client.answer.status_code == 200:
                    break
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)
async def test_streams_of_every_process_are_told_of_a_write_on_one(tmp_path: Path, database_url: str) -> None:
    settings = {
        "SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": database_url, "SERVICE_WORKERS": "2",
    }  # fmt: skip
    server = await asyncio.to_thread(Served(settings).__enter__)
    try:
        token = await sign_up(server)
        async with contextlib.AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(connected(server, token)) for _ in range(12)]
            await until(lambda: all(client.events for client in clients), 30)
            notes = [(await call(server, token, "POST", "/api/notes", {"title": "x"})).json()["id"] for _ in range(4)]
            await until(lambda: all(len(client.events) == 5 for client in clients), 30)
            for client in clients:
                assert [event.data["id"] for event in client.events[1:]] == notes, "in the order of the commits"
    finally:
        await asyncio.to_thread(server.kill)
