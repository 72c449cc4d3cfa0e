"""Answers that are kept by content: at their limits, and only for as long as they may be used."""

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from teamspace import ai, executors
from teamspace.ai.domain import once
from teamspace.completions import MAX_CHARACTERS, ModelRequest
from teamspace.core import clock
from teamspace.core.principal import system
from teamspace.settings import Settings
from tests.ai.help import model_world
from tests.mcp.help import loop_watched
from tests.pipeline.help import count, principal
from tests.support.model_server import ModelServer, says
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases
Cast = tuple[World, Caller, ModelServer]


@pytest.fixture
async def cast(settings: Settings) -> AsyncIterator[Cast]:
    async with model_world(settings) as (world, ann, server):
        yield world, ann, server


class StoredAnswer(msgspec.Struct):
    team_id: str
    digest: str
    org_id: str
    answer: str
    created_at: str


async def ask(ann: Caller, prompt: str) -> tuple[str, bool]:
    """Return the answer, and whether it was a kept one."""
    gateway: ai.Gateway = ann.world.app.dependencies[ai.Gateway]
    given = await ai.ask_once(gateway, ann.world.db, await principal(ann), ModelRequest(prompt), purpose="test")
    return given.answer.text, given.reused


async def fill(ann: Caller, number: int, created_at: str) -> None:
    async with ann.world.db.maintenance(system(org_id=ann.org.id)) as tx:
        await tx.run(
            "INSERT INTO model_answers (team_id, digest, org_id, answer, created_at) WITH RECURSIVE numbers (n) AS"
            " (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < :number)"
            " SELECT :team, :at || CAST(n AS TEXT), :org, '{}', :at FROM numbers",
            team=ann.team.id, org=ann.org.id, at=created_at, number=number,
        )  # fmt: skip


async def test_the_longest_request_and_answer_do_not_hold_the_event_loop(cast: Cast) -> None:
    _, ann, server = cast
    prompt, answer = '"\n' * (MAX_CHARACTERS // 2), "\u00e4" * (once.MAX_ANSWER - 500)
    server.script([says(answer)])
    async with loop_watched():
        assert await ask(ann, prompt) == (answer, False)
        assert await ask(ann, prompt) == (answer, True)
    assert len(server.bodies) == 1


async def test_an_answer_that_is_too_long_is_not_kept(cast: Cast) -> None:
    _, ann, server = cast
    server.script([says("x" * (once.MAX_ANSWER + 1)), says("short")])
    assert len((await ask(ann, "Long"))[0]) == once.MAX_ANSWER + 1
    assert await ask(ann, "Long") == ("short", False)
    assert await count(ann, "model_answers") == 1


async def test_an_answer_that_was_cut_off_is_not_kept(cast: Cast) -> None:
    _, ann, server = cast
    server.script([says("Half", finish="length"), says("Whole")])
    assert [await ask(ann, "Say it") for _ in range(3)] == [("Half", False), ("Whole", False), ("Whole", True)]


async def test_old_answers_are_not_used_and_are_deleted(cast: Cast) -> None:
    world, ann, server = cast
    server.script([says("first"), says("second")])
    assert await ask(ann, "When?") == ("first", False)
    old, young = clock.ago(once.KEPT_SECONDS + 60), clock.ago(once.KEPT_SECONDS - 3600)
    async with world.db.maintenance(system(org_id=ann.org.id)) as tx:
        await tx.run("UPDATE model_answers SET created_at = :old", old=old)
    assert await ask(ann, "When?") == ("second", False), "before it is deleted"
    await fill(ann, 1_200, old)
    await fill(ann, 30, young)
    await ai.forget_answers(world.db)
    assert await count(ann, "model_answers") == 31
    assert await ask(ann, "When?") == ("second", True)


async def test_a_team_keeps_its_newest_answers(cast: Cast) -> None:
    _, ann, server = cast
    await fill(ann, once.MAX_ANSWERS - 1, clock.ago(7200))
    server.script([says("first"), says("second")])
    assert await ask(ann, "One") == ("first", False)
    assert await count(ann, "model_answers") == once.MAX_ANSWERS
    assert await ask(ann, "Two") == ("second", False)
    assert await count(ann, "model_answers") <= once.MAX_ANSWERS
    assert (await ask(ann, "One"), await ask(ann, "Two")) == (("first", True), ("second", True))


async def test_an_answer_is_found_by_a_server_that_does_not_know_the_models_yet(cast: Cast) -> None:
    """After a start, an executor is asked which models it has; what was asked before is asked under no model's name."""
    world, ann, server = cast
    fleet: executors.Fleet = world.app.dependencies[executors.Fleet]
    (row,) = [item for item in (await ann.get("/api/executors")).json()["items"] if item["mode"] == "push"]
    server.script([says("Paid")])
    fleet.health_of(row["id"]).record_probe(["tiny"])
    assert await ask(ann, "Which model?") == ("Paid", False)
    for models in ([], ["large", "tiny"]):
        fleet.health_of(row["id"]).record_probe(models)
        assert await ask(ann, "Which model?") == ("Paid", True)


async def test_an_answer_that_is_being_settled_by_another_server_is_waited_for(cast: Cast) -> None:
    world, ann, server = cast
    server.script([says("Paid")])
    assert await ask(ann, "What is it?") == ("Paid", False)
    async with world.db.maintenance(system(org_id=ann.org.id)) as tx:
        kept = await tx.one(StoredAnswer, "SELECT team_id, digest, org_id, answer, created_at FROM model_answers")
        assert kept is not None
        await tx.run("DELETE FROM model_answers")
    async with world.db.maintenance(system(org_id=ann.org.id)) as tx:
        await tx.lock("quota", ann.org.id)
        await tx.run(
            "INSERT INTO model_answers (team_id, digest, org_id, answer, created_at)"
            " VALUES (:team_id, :digest, :org_id, :answer, :created_at)",
            **msgspec.structs.asdict(kept),
        )
        asking = asyncio.create_task(ask(ann, "What is it?"))
        await asyncio.sleep(0.3)
        assert not asking.done()
    assert await asking == ("Paid", True)
    assert len(server.bodies) == 1
    assert await count(ann, "quota_ledger WHERE settled_at IS NULL") == 0
