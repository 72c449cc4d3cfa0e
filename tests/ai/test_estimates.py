"""What a turn reserves before its model is asked: about what the model will read, however large its files are."""

import base64
from typing import Any

import pytest

from teamspace.completions.schemas import IMAGE_TOKENS
from teamspace.settings import Settings
from tests.ai.help import chat, model_world, tokens_used
from tests.extraction import files
from tests.identity.help import broken
from tests.jobs.help import running
from tests.repository.help import put
from tests.repository.test_texts import wait_for_text
from tests.support.model_server import says
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases
ANSWER = 512
MEGABYTE = 1024 * 1024
_COMMENT = "x" * MEGABYTE
PDF = files.pdf(f"Zurich budget plan) Tj ET\n%{_COMMENT}\nBT (")


async def estimate(caller: Caller, prompt: Any, **more: Any) -> int:
    """Return the tokens that a turn would reserve, besides those of its answer."""
    answer = await chat(caller, prompt, dry_run=True, **more)
    tokens: int = answer["estimate"]["tokens"]
    return tokens - ANSWER


def file(object_id: str, **more: Any) -> list[dict[str, Any]]:
    return [{"type": "object", "object_id": object_id, **more}]


async def test_a_large_image_counts_as_one_image(world: World) -> None:
    ann = await world.bootstrap()
    photo = await put(ann, "photo.png", b"\x89PNG" + bytes(2 * MEGABYTE), content_type="image/png")
    assert await estimate(ann, file(photo["id"])) == IMAGE_TOKENS


async def test_a_large_file_counts_as_its_text(world: World) -> None:
    ann = await world.bootstrap()
    async with running(world):
        report = await put(ann, "report.pdf", PDF, content_type="application/pdf")
        assert (await wait_for_text(ann, report["id"]))["text_state"] == "ready"
    assert len(PDF) > MEGABYTE and await estimate(ann, file(report["id"])) == len("Zurich budget plan") // 4


async def test_a_long_text_counts_as_what_fits_in_a_turn(world: World) -> None:
    ann = await world.bootstrap()
    table = await put(ann, "table.csv", b"1,2\n" * MEGABYTE, content_type="text/csv")
    assert await estimate(ann, file(table["id"])) == 200_000 // 4


async def test_the_version_that_is_asked_for_is_measured(world: World) -> None:
    ann = await world.bootstrap()
    first = await put(ann, "plan.txt", b"x" * 400, content_type="text/plain")
    await put(ann, "plan.txt", b"x" * 40_000, content_type="text/plain")
    assert await estimate(ann, file(first["id"], version=1)) == 100
    assert await estimate(ann, file(first["id"])) == 10_000
    assert (
        await ann.post("/api/ai/chat", {"prompt": file(first["id"], version=9), "dry_run": True})
    ).status_code == 404


async def test_an_image_in_a_conversation_counts_as_one_image(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        talk = (await ann.post("/api/conversations", {})).json()["id"]
        pasted = f"data:image/png;base64,{base64.b64encode(bytes(250 * 1024)).decode()}"
        server.script([says("A ship.")])
        prompt = [{"type": "text", "text": "What?"}, {"type": "image_url", "image_url": {"url": pasted}}]
        await chat(ann, prompt, conversation_id=talk)
        history = (len("What?") + len("A ship.")) // 4 + IMAGE_TOKENS
        assert await estimate(ann, "Which one?", conversation_id=talk) == history + 3
        assert await broken(world) == []


async def test_what_earlier_prompts_refer_to_counts_once_while_it_can_be_read(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        talk = (await ann.post("/api/conversations", {})).json()["id"]
        plan = await put(ann, "plan.txt", b"x" * 400, content_type="text/plain")
        photo = await put(ann, "photo.png", b"\x89PNG" + bytes(MEGABYTE), content_type="image/png")
        server.script([says("Fine."), says("Good.")])
        await chat(ann, file(plan["id"]) + file(photo["id"]), conversation_id=talk)
        await chat(ann, file(plan["id"]), conversation_id=talk)
        said = len("Fine.Good.") // 4
        assert await estimate(ann, "Why?", conversation_id=talk) == said + 1 + 100 + IMAGE_TOKENS
        assert await estimate(ann, file(plan["id"]), conversation_id=talk) == said + 100 + IMAGE_TOKENS
        assert (await ann.delete(f"/api/repo-obj/{plan['id']}")).status_code == 204
        assert await estimate(ann, "Why?", conversation_id=talk) == said + 1 + IMAGE_TOKENS
        assert await broken(world) == []


# Functions and schemas


def function(number: int, description: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": f"f{number}", "description": description}}


async def test_functions_and_schemas_count_as_their_json(world: World) -> None:
    ann = await world.bootstrap()
    described = await estimate(ann, "Hello", tools=[function(number, "x" * 4000) for number in range(100)])
    assert 100_000 < described < 102_000
    schema = {"type": "object", "description": "x" * 4000}
    assert 1000 < await estimate(ann, "Hello", response_format={"type": "json_schema", "schema": schema}) < 1050


async def test_a_call_with_functions_is_charged_with_them_if_the_server_reports_nothing(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([says("Hi.", usage=None)])
        answer = await chat(ann, "Hello", tools=[function(1, "x" * 4000)])
        assert answer["usage"]["prompt_tokens"] > 1000
        assert await tokens_used(ann) == answer["usage"]["total_tokens"]
