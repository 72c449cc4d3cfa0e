"""Helpers to chat over HTTP and to read streams."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from teamspace.settings import Settings
from tests.executors.help import push, world_calling
from tests.support.model_server import ModelServer
from tests.support.world import Caller, World


@asynccontextmanager
async def model_world(settings: Settings, **more: Any) -> AsyncIterator[tuple[World, Caller, ModelServer]]:
    """Open a world whose chats are answered by a scripted model server."""
    async with ModelServer() as server, world_calling(settings, server, **more) as world:
        ann = await world.bootstrap()
        await push(ann, server)
        yield world, ann, server


async def chat(caller: Caller, prompt: Any, status: int = 200, **more: Any) -> dict[str, Any]:
    answer = await caller.post("/api/ai/chat", {"prompt": prompt, **more})
    assert answer.status_code == status, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def stream(
    caller: Caller, body: dict[str, Any], path: str = "/api/ai/chat/stream", **headers: str
) -> list[dict[str, Any]]:
    """Return all events of a turn, with their ids."""
    sent = {"accept": "text/event-stream", **{name.replace("_", "-"): value for name, value in headers.items()}}
    answer = await caller("POST", path, body, headers=sent)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/event-stream"
    return parse_events(answer.text)


def parse_events(text: str) -> list[dict[str, Any]]:
    events = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and line[0] != ":")
        if "data" in fields:
            data = json.loads(fields["data"])
            assert data["type"] == fields["event"]
            events.append({**data, "at": fields.get("id")})
    return events


def joined(events: list[dict[str, Any]]) -> str:
    """Return the text that the deltas add up to."""
    return "".join(event["text"] for event in events if event["type"] == "delta")


async def tokens_used(caller: Caller) -> int:
    return await _used(caller, "ai.tokens.total")


async def requests_used(caller: Caller) -> int:
    return await _used(caller, "ai.requests")


async def _used(caller: Caller, dimension: str) -> int:
    rows = (await caller.get("/api/usage")).json()["items"]
    return int(next(row["used"] for row in rows if row["dimension"] == dimension))


async def wait_until_running(world: World, count: int = 1) -> None:
    async with asyncio.timeout(10):
        while True:
            if world.app.attempts.working >= count:
                return
            await asyncio.sleep(0.01)
