"""The routes of the OpenAI protocol: the list of models, and that every error has OpenAI's shape."""

import asyncio
import json
from typing import Any

import httpx2
import msgspec
import pytest

from teamspace.ai import MAX_BODY
from teamspace.core.http import Gate
from teamspace.settings import Settings
from tests.ai.help import model_world, wait_until_running
from tests.executors.help import push, world_calling
from tests.support.model_server import says
from tests.support.upstream import Upstream
from tests.support.world import World
from tests.support.world import world as open_world

MODELS, CHAT = "/v1/models", "/v1/chat/completions"
HELLO = {"role": "user", "content": "Hello"}


def error(answer: httpx2.Response) -> tuple[int, str, str | None]:
    """Return status, code and field of an error, after a check of its shape."""
    assert answer.headers["content-type"] == "application/json"
    body: dict[str, Any] = answer.json()
    assert list(body) == ["error"] and list(body["error"]) == ["message", "type", "param", "code"]
    assert body["error"]["message"]
    return answer.status_code, body["error"]["code"], body["error"]["param"]


async def test_the_models_of_the_executors_are_listed(settings: Settings) -> None:
    async with Upstream() as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        simulated = (await ann.get(MODELS)).json()
        assert simulated == {
            "object": "list",
            "data": [
                {"id": "default", "object": "model", "created": 0, "owned_by": "teamspace"},
                {"id": "simulated", "object": "model", "created": 0, "owned_by": "local"},
            ],
        }
        lists = await push(ann, upstream, "Lists")
        world.app.fleet.health_of(lists["id"]).record_probe(["m2", "m1"])
        await push(ann, upstream, "One", model="m3")
        shown = (await ann.get(MODELS)).json()["data"]
        assert {one["id"]: one["owned_by"] for one in shown} == {
            "default": "teamspace", "m1": "Lists", "m2": "Lists", "m3": "One",
        }  # fmt: skip


async def test_every_refusal_of_a_completion_has_openai_s_shape(settings: Settings) -> None:
    async with Upstream() as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        for body, expected in (
            ({"messages": [HELLO]}, (400, "invalid_request", None)),
            ({"model": "default", "messages": [HELLO], "n": 2}, (400, "invalid_request", "n")),
            ({"model": "nobody's", "messages": [HELLO]}, (404, "model_not_found", "model")),
            ({"model": "default", "messages": [{"role": "user", "content": "x" * MAX_BODY}]}, (413, "too_large", None)),
        ):
            assert error(await ann.post(CHAT, body)) == expected
        plain = {"content-type": "text/plain"}
        assert error(await ann.post(CHAT, {"x": 1}, headers=plain)) == (415, "unsupported_type", None)
        made = await push(ann, upstream, "Only", model="m")
        world.app.fleet.health_of(made["id"]).record_probe(None)
        silent = await ann.post(CHAT, {"model": "m", "messages": [HELLO]})
        assert error(silent) == (503, "no_executor", None)
        assert silent.headers["retry-after"] == "30"


async def test_a_replayed_error_has_openai_s_shape_too(settings: Settings) -> None:
    async with open_world(msgspec.structs.replace(settings, simulate=True)) as world:
        ann = await world.bootstrap()
        body = {"model": "default", "messages": [{"role": "user", "content": "[simulate:fail]"}]}
        for _ in range(2):
            answer = await ann.post(CHAT, body, headers={"idempotency-key": "1"})
            assert error(answer) == (502, "executor_failed", None)
        assert answer.headers["idempotency-replayed"] == "true"


async def test_a_stream_with_a_key_goes_on_without_its_reader_and_can_be_read_again(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([says("One two three four five", pause=0.05)])
        body = {"model": "default", "messages": [HELLO], "stream": True}
        left = asyncio.create_task(ann.post(CHAT, body, headers={"idempotency-key": "1"}))
        await wait_until_running(world)
        left.cancel()
        texts = []
        for _ in range(2):
            answer = await ann.post(CHAT, body, headers={"idempotency-key": "1"})
            assert answer.headers["idempotency-replayed"] == "true"
            chunks = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]
            texts.append("".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks))
        assert texts == ["One two three four five"] * 2
        assert len(server.bodies) == 1


async def test_errors_of_the_gate_have_openai_s_shape(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = await world.bootstrap()
    scoped = await world.token(ann, scope=["notes:read"])
    assert error(await world.anonymous.get(MODELS)) == (401, "invalid_api_key", None)
    wrong = await world.anonymous.get(MODELS, headers={"authorization": "Bearer sk-wrong"})
    assert error(wrong) == (401, "invalid_api_key", None)
    assert wrong.headers["www-authenticate"] == "Bearer"
    assert error(await scoped.get(MODELS)) == (403, "out_of_scope", None)
    assert error(await ann.delete(MODELS)) == (405, "method_not_allowed", None)
    assert error(await ann.get(MODELS, headers={"x-long": "x" * 70_000})) == (431, "too_large", None)
    await ann.post("/api/features/chat", {"enabled": False})
    assert error(await ann.get(MODELS)) == (403, "feature_disabled", None)

    async def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Gate, "_respond_routed", broken)
    assert error(await ann.get(MODELS)) == (500, "internal_error", None)
