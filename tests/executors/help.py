"""Executors in a world, and workers that speak their protocol."""

from typing import Any

import httpx2

from tests.jobs import help
from tests.support.world import Caller, World

KINDS = ["ai.chat"]
MODEL = "llama"


async def ask(caller: Caller, prompt: str = "Hello", **more: Any) -> dict[str, Any]:
    """A job that is not done by the server itself while somebody else is there: it names a model."""
    return await help.ask(caller, prompt, **{"model": MODEL, **more})


class Worker(Caller):
    """A pull worker: every call is a real request."""

    async def claim(self, **asking: Any) -> httpx2.Response:
        return await self.post("/api/workers/claim", {"kinds": KINDS, **asking})

    async def handed(self, **asking: Any) -> dict[str, Any]:
        answer = await self.claim(**asking)
        assert answer.status_code == 200, answer.text
        handed: dict[str, Any] = answer.json()
        return handed

    async def tell(self, verb: str, handed: dict[str, Any], **more: Any) -> httpx2.Response:
        body = {"claim_token": handed["claim_token"], **more}
        return await self.post(f"/api/workers/jobs/{handed['job']['id']}/{verb}", body)


async def executor(
    world: World, caller: Caller, name: str = "Big one", path: str = "/api/executors", **more: Any
) -> tuple[dict[str, Any], Worker]:
    answer = await caller.post(path, {"name": name, "mode": "pull", **more})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made, Worker(world, made["token"])
