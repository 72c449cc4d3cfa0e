"""Helpers to register executors, and a worker that speaks their protocol."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import msgspec

from teamspace.settings import Settings
from tests.jobs import help
from tests.support.upstream import Upstream
from tests.support.world import Caller, World
from tests.support.world import world as open_world

KINDS = ["ai.chat"]
MODEL = "llama"


async def create_job(caller: Caller, prompt: str = "Hello", **more: Any) -> dict[str, Any]:
    """Create a job that names a model, so that the server does not run it itself while an executor can."""
    return await help.create_job(caller, prompt, **{"model": MODEL, **more})


class Worker(Caller):
    """A pull worker: every call is a real request."""

    async def claim(self, **request: Any) -> httpx2.Response:
        return await self.post("/api/workers/claim", {"kinds": KINDS, **request})

    async def claim_job(self, **request: Any) -> dict[str, Any]:
        answer = await self.claim(**request)
        assert answer.status_code == 200, answer.text
        claimed: dict[str, Any] = answer.json()
        return claimed

    async def report(self, verb: str, claimed: dict[str, Any], **more: Any) -> httpx2.Response:
        body = {"claim_token": claimed["claim_token"], **more}
        return await self.post(f"/api/workers/jobs/{claimed['job']['id']}/{verb}", body)


async def executor(
    world: World, caller: Caller, name: str = "Big one", path: str = "/api/executors", **more: Any
) -> tuple[dict[str, Any], Worker]:
    answer = await caller.post(path, {"name": name, "mode": "pull", **more})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made, Worker(world, made["token"])


@asynccontextmanager
async def world_calling(settings: Settings, upstream: Upstream, **more: Any) -> AsyncIterator[World]:
    """Open a world whose operator is allowed to call this upstream."""
    async with open_world(
        msgspec.structs.replace(settings, egress_allow=frozenset([upstream.address]), **more)
    ) as world:
        yield world


async def push(caller: Caller, upstream: Upstream, name: str = "Big", **more: Any) -> dict[str, Any]:
    body = {"name": name, "mode": "push", "url": upstream.url, **more}
    answer = await caller.post("/api/executors", body)
    assert answer.status_code == 201, answer.text
    shown: dict[str, Any] = answer.json()
    return shown
