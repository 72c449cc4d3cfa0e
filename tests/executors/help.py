"""Helpers to register executors, and a worker that speaks their protocol."""

from typing import Any

import httpx2

from tests.jobs import help
from tests.support.world import Caller, World

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
