"""Who answers a request now: the choices of teams and of the instance, health, models, and what is said about it."""

from typing import Any

import msgspec
import pytest

from teamspace import executors, tenancy
from teamspace.core.errors import BadRequest, Forbidden, NoExecutor
from teamspace.core.principal import Call
from teamspace.executors import ModelRole, Target
from teamspace.settings import PushExecutor, Settings
from teamspace.tenancy.schemas import OrgRole, Role
from tests.executors.help import executor, push, world_calling
from tests.identity.help import Hands, hands, refusal
from tests.jobs.help import broken_invariants, create_job, ended, running
from tests.support.moment import move_clock
from tests.support.upstream import Upstream
from tests.support.world import Caller, World
from tests.support.world import world as open_world

__all__ = ["hands"]

SILENT = "http://127.0.0.1:9/v1"


async def choose(caller: Caller, *, name: str | None = None, model: str | None = None, role: str = "chat") -> Target:
    world = caller.world
    who = await tenancy.act_for(world.db, Call(), caller.user_id, caller.team.id)
    return await executors.choose(world.db, who, world.app.fleet, name=name, model=model, role=ModelRole(role))


async def set_roles(caller: Caller, **roles: str | None) -> dict[str, Any]:
    answer = await caller.put("/api/model-roles", {"roles": roles})
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def report(caller: Caller) -> dict[str, Any]:
    answer = await caller.get("/api/ai/model")
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


def brief(target: Target) -> tuple[str, str | None, str]:
    return target.name, target.model, target.source


async def test_without_a_model_the_simulated_one_answers_and_says_so(world: World) -> None:
    ann = await world.bootstrap()
    target = await choose(ann)
    assert brief(target) == ("local", "simulated", "local")
    assert (target.executor_id, target.simulated) == ("local", True)
    shown = await report(await world.person(ann.org, ann.team, Role.GUEST))
    assert shown["reason"] == "No model is set up: the simulated model answers."
    assert [(one["role"], one["executor"], one["simulated"]) for one in shown["roles"]] == [
        ("chat", "local", True), ("utility", "local", True),
    ]  # fmt: skip


async def test_the_first_rule_that_applies_chooses(settings: Settings) -> None:
    async with Upstream() as upstream, world_calling(settings, upstream, model_role_utility="Shared") as world:
        ann = await world.bootstrap()
        await push(ann, upstream, "Default", model="m1")
        await push(ann, upstream, "Shared", model="m2")
        await push(ann, upstream, "Team's", model="m3")
        assert brief(await choose(ann)) == ("Default", "m1", "default")
        assert brief(await choose(ann, role="utility")) == ("Shared", "m2", "instance")
        await set_roles(ann, utility="default", chat="Shared")
        assert brief(await choose(ann, role="utility")) == ("Default", "m1", "team")
        assert brief(await choose(ann)) == ("Shared", "m2", "team")
        assert brief(await choose(ann, name="team's")) == ("Team's", "m3", "named")
        elsewhere = await world.person(*await world.company())
        assert brief(await choose(elsewhere, role="utility")) == ("Shared", "m2", "instance")
        with pytest.raises(Forbidden):
            await choose(elsewhere, name="Shared")
        with pytest.raises(BadRequest) as refused:
            await choose(ann, name="Nobody")
        assert refused.value.extra["errors"][0].pointer == "/executor"


async def test_a_local_model_comes_before_push_executors(settings: Settings) -> None:
    async with (
        Upstream() as upstream,
        world_calling(settings, upstream, model_url=upstream.url, model="mine") as world,
    ):
        ann = await world.bootstrap()
        await push(ann, upstream, "Other", model="other")
        assert brief(await choose(ann)) == ("local", "mine", "local")
        assert (await choose(ann)).simulated is False
        assert brief(await choose(ann, model="other")) == ("Other", "other", "default")
        assert brief(await choose(ann, model="mine")) == ("local", "mine", "local")


async def test_a_model_is_found_where_it_is(settings: Settings) -> None:
    async with Upstream() as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        assert brief(await choose(ann, model="any")) == ("local", "any", "local")
        await push(ann, upstream, "One", model="m1")
        await push(ann, upstream, "Two", model="m2")
        await push(ann, upstream, "Also two", model="m2")
        await set_roles(ann, chat="Two")
        assert brief(await choose(ann, model="m1")) == ("One", "m1", "default")
        assert brief(await choose(ann, model="m2")) == ("Two", "m2", "team")
        assert (await choose(ann, model="m1")).reason == "One has the model m1."
        for name in (None, "One"):
            with pytest.raises(BadRequest) as refused:
                await choose(ann, name=name, model="m3")
            assert refused.value.extra["errors"][0].pointer == "/model"
        await push(ann, upstream, "Open")
        assert brief(await choose(ann, model="m3")) == ("Open", "m3", "default")
        world.app.fleet.health_of((await push(ann, upstream, "Lists"))["id"]).record_probe(["m3", "m4"])
        assert brief(await choose(ann, model="m3")) == ("Lists", "m3", "default")


async def test_an_executor_that_does_not_answer_is_skipped_and_the_report_says_so(settings: Settings) -> None:
    async with Upstream() as upstream, world_calling(settings, upstream, model_role_chat="gone") as world:
        ann = await world.bootstrap()
        first, second = [(await push(ann, upstream, name, model="m"))["id"] for name in ("First", "Second")]
        await set_roles(ann, chat="First")
        world.app.fleet.health_of(first).record_probe(None)
        shown = await report(ann)
        assert (shown["executor"], shown["source"]) == ("Second", "default")
        assert [reason["key"] for reason in shown["reasons"]] == [
            "executors.skipped", "executors.default_gone", "executors.chosen_default",
        ]  # fmt: skip
        assert "First does not answer now." in shown["reason"]
        assert (await choose(ann, model="m")).name == "Second"
        with pytest.raises(NoExecutor, match="First"):
            await choose(ann, name="First")
        world.app.fleet.health_of(second).record_probe(None)
        for model in (None, "m"):
            with pytest.raises(NoExecutor, match="Second"):
                await choose(ann, model=model)
        shown = await report(ann)
        assert (shown["executor"], shown["model"], shown["simulated"]) == (None, None, False)
        assert shown["reasons"][0]["key"] == "executors.none_answers"


async def test_a_pull_executor_answers_while_its_workers_poll(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    made, worker = await executor(world, ann, "Lab", model="llama")
    await executor(world, ann, "Open")
    await set_roles(ann, chat="Lab")
    assert brief(await choose(ann)) == ("local", "simulated", "local")
    with pytest.raises(BadRequest, match="not the model of any executor"):
        await choose(ann, model="perhaps of Open")
    await worker.claim()
    target = await choose(ann)
    assert brief(target) == ("Lab", "llama", "team")
    assert (target.executor_id, target.mode) == (made["id"], "pull")
    hands.forward(61)
    await move_clock(world, 61)
    with pytest.raises(NoExecutor, match="Lab"):
        await choose(ann, name="Lab")
    with pytest.raises(NoExecutor, match="Lab"):
        await choose(ann, model="llama")


async def test_waiting_jobs_go_to_the_executor_of_the_role_while_it_answers(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann, "Lab")
    await set_roles(ann, chat="Lab")
    unseen = await create_job(ann)
    async with running(world):
        assert (await ended(ann, unseen["id"]))["executor"] == "local"
    await worker.claim()
    job = await create_job(ann)
    assert (await worker.claim_job())["job"]["id"] == job["id"]


# Roles


async def test_a_team_chooses_and_takes_back(world: World) -> None:
    ann = await world.bootstrap()
    await executor(world, ann, "Lab")
    empty = {"chat": None, "utility": None}
    assert (await ann.get("/api/model-roles")).json() == {"roles": empty, "instance": empty}
    assert (await set_roles(ann, utility="lab"))["roles"] == {"chat": None, "utility": "Lab"}
    assert (await set_roles(ann, chat="local"))["roles"] == {"chat": "local", "utility": "Lab"}
    assert (await set_roles(ann, utility=None))["roles"] == {"chat": "local", "utility": None}
    sister = await world.person(ann.org, await world.team(ann.org), Role.ADMIN)
    assert (await sister.get("/api/model-roles")).json()["roles"] == empty
    member = await world.person(ann.org, ann.team)
    assert refusal(await member.put("/api/model-roles", {"roles": {"chat": None}})) == (403, "forbidden")
    assert await broken_invariants(world) == []


async def test_a_wrong_choice_names_the_field(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    admin = await world.person(org, team, Role.ADMIN, org_role=OrgRole.ADMIN)
    await executor(world, admin, "Theirs", "/api/org/executors")
    for roles, pointer in (
        ({"utility": "none"}, "/roles/utility"), ({"chat": "Theirs"}, "/roles/chat"), ({"poet": "local"}, "/roles"),
        ({"chat": 1}, "/roles/chat"), ({"chat": ""}, "/roles/chat"),
    ):  # fmt: skip
        refused = await ann.put("/api/model-roles", {"roles": roles})
        assert refusal(refused) == (400, "invalid_request")
        assert refused.json()["errors"][0]["pointer"] == pointer
    assert (await set_roles(admin, chat="Theirs"))["roles"]["chat"] == "Theirs"


async def test_a_retired_executor_loses_its_roles(world: World) -> None:
    ann = await world.bootstrap()
    made, _ = await executor(world, ann, "Lab")
    await set_roles(ann, chat="Lab", utility="Lab")
    assert (await ann.delete(f"/api/executors/{made['id']}")).status_code == 204
    assert (await ann.get("/api/model-roles")).json()["roles"] == {"chat": None, "utility": None}
    assert await broken_invariants(world) == []


async def test_an_executor_removed_from_the_settings_is_skipped(settings: Settings) -> None:
    env = msgspec.structs.replace(settings, executors=(PushExecutor("env", SILENT, "m"),), model_role_chat="env")
    async with open_world(env) as world:
        ann = await world.bootstrap()
        assert (await set_roles(ann, chat="env"))["instance"] == {"chat": "env", "utility": None}
        assert brief(await choose(ann)) == ("env", "m", "team")
    async with open_world(settings) as world:
        again = Caller(world, ann.token)
        shown = await report(again)
        assert (shown["executor"], shown["reasons"][0]["key"]) == ("local", "executors.team_choice_gone")
        assert (await again.get("/api/model-roles")).json()["roles"]["chat"] is None
