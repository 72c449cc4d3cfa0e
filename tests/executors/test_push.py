"""Push executors: model servers that the server calls, what of them is shown, and what becomes of their faults."""

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from teamspace import jobs, ops, wiring
from teamspace.core.principal import system
from teamspace.executors import reroute_unserved
from teamspace.executors.domain import fleet as fleets
from teamspace.executors.domain import health as pulses
from teamspace.settings import PushExecutor, Settings
from teamspace.tenancy.schemas import OrgRole, Role
from tests.executors.help import executor
from tests.identity.help import Hands, hands, refusal
from tests.jobs.help import CHAT, ask, ended, look, queue, running, unsound
from tests.support.addresses import spellings
from tests.support.moment import move_clock
from tests.support.upstream import (
    Behaviour,
    Upstream,
    completion,
    cut_off,
    endless,
    no_http,
    only_turns,
    status,
)
from tests.support.world import Caller, World
from tests.support.world import world as made

__all__ = ["hands"]

KEY = "sk-very-secret-0123456789"


@asynccontextmanager
async def at(settings: Settings, upstream: Upstream, **more: Any) -> AsyncIterator[World]:
    """A world whose operator may call this server."""
    async with made(msgspec.structs.replace(settings, egress_allow=frozenset([upstream.address]), **more)) as world:
        yield world


async def push(caller: Caller, upstream: Upstream, name: str = "Big", **more: Any) -> dict[str, Any]:
    body = {"name": name, "mode": "push", "url": upstream.url, **more}
    answer = await caller.post("/api/executors", body)
    assert answer.status_code == 201, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def listed(caller: Caller, name: str) -> dict[str, Any]:
    items: list[dict[str, Any]] = (await caller.get("/api/executors")).json()["items"]
    return next(item for item in items if item["name"] == name)


async def tokens_used(caller: Caller) -> int:
    rows = {row["dimension"]: row["used"] for row in (await caller.get("/api/usage")).json()["items"]}
    return int(rows["ai.tokens.total"])


async def failed(caller: Caller, job_id: str, seconds: float = 15) -> dict[str, Any]:
    """The job once an attempt has failed."""
    async with asyncio.timeout(seconds):
        while True:
            job = await look(caller, job_id)
            if job["error"]:
                return job
            await asyncio.sleep(0.02)


# The happy path


async def test_a_job_is_done_by_the_model_server(settings: Settings) -> None:
    async with Upstream(completion("Hello yourself")) as upstream, at(settings, upstream) as world:
        ann = await world.bootstrap()
        shown = await push(ann, upstream, model="tiny", key=KEY)
        assert (shown["mode"], shown["token"], shown["health"]) == ("push", None, "new")
        async with running(world):
            input = {"prompt": "Hello", "system": "Be brief.", "max_tokens": 9, "temperature": 0.5}
            job = await ended(ann, (await ask(ann, input=input))["id"])
        assert (job["state"], job["executor"], job["result"]["text"]) == ("succeeded", shown["id"], "Hello yourself")
        assert job["result"]["usage"] == {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
        asked = upstream.turns()[0]
        assert asked.headers["authorization"] == f"Bearer {KEY}"
        assert msgspec.json.decode(asked.body) == {
            "model": "tiny", "max_tokens": 9, "temperature": 0.5,
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
        }  # fmt: skip
        assert await tokens_used(ann) == 7
        assert await unsound(world) == []


async def test_a_server_that_starts_anew_lets_go_of_what_it_did_for_others(settings: Settings) -> None:
    async with Upstream() as upstream, at(settings, upstream) as world:
        ann = await world.bootstrap()
        await push(ann, upstream, model="tiny")
        await executor(world, ann, "Small", model="small")
        states = {}
        for name in ("local", "Big", "Small", "gone from the settings"):
            id = (await listed(ann, name))["id"] if name != "gone from the settings" else "env:gone"
            job = await ask(ann, input={"prompt": "x", "executor": "local"})
            await queue(world).claim(world.db, [CHAT], count=1, executor_id=id)
            await world.app.fleet.recover(world.db)
            await jobs.sweep(world.db, queue(world))
            states[name] = (await look(ann, job["id"]))["state"]
            await ann.post(f"/api/jobs/{job['id']}/cancel")
        assert states == {"local": "queued", "Big": "queued", "Small": "running", "gone from the settings": "queued"}
        assert await unsound(world) == []


async def test_what_the_server_does_not_count_is_estimated(settings: Settings) -> None:
    async with Upstream() as upstream, at(settings, upstream) as world:
        ann = await world.bootstrap()
        await push(ann, upstream)
        async with running(world):
            for usage in (None, {"prompt_tokens": -5, "completion_tokens": 1}, {"total_tokens": 9}, "many"):
                upstream.behaviour = completion("x" * 8, usage=usage)
                job = await ended(ann, (await ask(ann, "y" * 12))["id"])
                assert job["result"]["usage"] == {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


async def test_a_model_and_an_executor_can_be_named(settings: Settings) -> None:
    async with Upstream() as small, Upstream() as large:
        allow = frozenset([small.address, large.address])
        async with made(msgspec.structs.replace(settings, egress_allow=allow)) as world:
            ann = await world.bootstrap()
            first = await push(ann, small, "Small", model="small")
            second = await push(ann, large, "Large", model="large")
            async with running(world):
                by_model = await ended(ann, (await ask(ann, input={"prompt": "x", "model": "large"}))["id"])
                by_name = await ended(ann, (await ask(ann, input={"prompt": "x", "executor": "small"}))["id"])
            assert (by_model["executor"], by_name["executor"]) == (second["id"], first["id"])


async def test_a_server_that_names_no_model_takes_those_it_lists(settings: Settings) -> None:
    async with Upstream() as upstream, at(settings, upstream) as world:
        ann = await world.bootstrap()
        await push(ann, upstream)
        await world.app.fleet.probe(world.db)
        async with running(world):
            named = await ended(ann, (await ask(ann, input={"prompt": "x", "model": "tiny"}))["id"])
            free = await ended(ann, (await ask(ann))["id"])
        assert (named["state"], free["state"]) == ("succeeded", "succeeded")
        assert [msgspec.json.decode(asked.body)["model"] for asked in upstream.turns()] == ["tiny", "tiny"]


# The settings' own


async def test_those_of_the_settings_are_like_the_others(settings: Settings) -> None:
    async with Upstream() as upstream:
        named = (PushExecutor("gpu", upstream.url, "tiny", KEY),)
        async with at(settings, upstream, executors=named) as world:
            ann = await world.bootstrap()
            await world.app.fleet.probe(world.db)
            async with running(world):
                job = await ended(ann, (await ask(ann))["id"])
                chosen = await ended(ann, (await ask(ann, input={"prompt": "x", "executor": "GPU"}))["id"])
            assert (job["executor"], chosen["executor"]) == ("env:gpu", "env:gpu")
            shown = await listed(ann, "gpu")
            assert (shown["id"], shown["mode"], shown["health"], shown["url"]) == (
                "env:gpu",
                "push",
                "up",
                upstream.url,
            )
            member = await world.person(ann.org, ann.team)
            seen = await listed(member, "gpu")
            assert (seen["url"], seen["key_fingerprint"]) == (None, None)
            assert refusal(await ann.delete("/api/executors/env:gpu")) == (409, "conflict")
            again = await ann.post("/api/executors", {"name": "GPU", "mode": "pull"})
            assert refusal(again) == (409, "conflict")
            assert KEY not in (await ann.get("/api/executors")).text
            assert await unsound(world) == []


async def test_jobs_of_one_that_was_taken_out_of_the_settings_are_done_here(settings: Settings) -> None:
    async with Upstream() as upstream:
        named = (PushExecutor("gpu", upstream.url, "tiny", KEY),)
        async with at(settings, upstream, executors=named) as world:
            ann = await world.bootstrap()
            asked = [
                await ask(ann, input={"prompt": "x", **wish}) for wish in ({"executor": "GPU"}, {"model": "tiny"}, {})
            ]
            await reroute_unserved(world.db, world.app.fleet)
            channels = await world.db.all(str, "SELECT channel FROM jobs ORDER BY id")
            assert channels == ["ai.chat@on:env:gpu", "ai.chat@model:tiny", "ai.chat@push"], "it is still there"
        async with at(settings, upstream) as world:
            ann = Caller(world, ann.token)
            await reroute_unserved(world.db, world.app.fleet)
            async with running(world):
                done = [await ended(ann, job["id"]) for job in asked]
            assert {(job["state"], job["executor"]) for job in done} == {("succeeded", "local")}
            assert await unsound(world) == []


async def test_a_real_local_model_does_what_names_nobody(settings: Settings) -> None:
    async with Upstream() as upstream:
        more = {"model_url": upstream.url, "model": "tiny", "model_key": KEY}
        async with at(settings, upstream, **more) as world:
            ann = await world.bootstrap()
            local = await listed(ann, "local")
            assert (local["simulated"], local["model"], local["url"]) == (False, "tiny", None)
            await executor(world, ann, "Away", model="other")
            async with running(world):
                free = await ended(ann, (await ask(ann))["id"])
                named = await ended(ann, (await ask(ann, input={"prompt": "x", "model": "tiny"}))["id"])
            assert (free["executor"], named["executor"], free["result"]["text"]) == ("local", "local", "Hi")
            other = await ask(ann, input={"prompt": "x", "model": "other"})
            assert (await look(ann, other["id"]))["waiting"]["reason"] == "no_worker"
            unknown = await ann.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "x", "model": "none"}})
            assert unknown.json()["errors"][0]["pointer"] == "/input/model"


async def test_without_one_the_local_model_says_what_it_is(world: World) -> None:
    assert (await listed(await world.bootstrap(), "local"))["simulated"] is True


# Faults

FAULTS: tuple[tuple[Behaviour, str, bool], ...] = (
    (status(401, {"error": {"message": f"Incorrect API key {KEY}"}}), "rejects the configured key", False),
    (status(404), "does not have this model", False),
    (status(429), "is overloaded", True),
    (status(500, b"at 10.0.0.7"), "failed with status 500", True),
    (status(302, headers="location: http://10.0.0.7/\r\n"), "redirects", False),
    (
        status(400, {"error": {"message": "The context is\ntoo long."}}),
        "rejects the request: The context is",
        False,
    ),
    (status(200, b"[" * 100_000), "did not return a valid completion", True),
    (status(200, {"choices": []}), "did not return a valid completion", True),
    (endless, "more than 8 MiB", True),
    (cut_off, "closed the connection", True),
    (no_http, "did not speak HTTP", True),
)


@pytest.mark.parametrize(("behaviour", "said", "retryable"), FAULTS, ids=lambda value: str(value)[:20])
async def test_a_fault_is_told_and_tried_again_where_that_helps(
    settings: Settings, behaviour: Behaviour, said: str, retryable: bool
) -> None:
    async with Upstream(only_turns(behaviour)) as upstream, at(settings, upstream) as world:
        ann = await world.bootstrap()
        await push(ann, upstream, key=KEY)
        async with running(world):
            job = await ask(ann)
            seen = await failed(ann, job["id"])
        assert said in seen["error"]["message"]
        assert (seen["error"]["code"], seen["error"]["retryable"]) == ("executor_failed", retryable)
        assert seen["state"] == ("queued" if retryable else "failed")
        for secret in (KEY, "10.0.0.7", "127.0.0.1"):
            assert secret not in str(seen["error"])
        assert await tokens_used(ann) == 0
        assert await unsound(world) == []


async def test_a_server_that_comes_back_finishes_the_job(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Upstream(only_turns(status(500))) as upstream, at(settings, upstream) as world:
        ann = await world.bootstrap()
        await push(ann, upstream)
        async with running(world):
            upkeep = asyncio.create_task(world.app.upkeep())
            job = await ask(ann)
            await failed(ann, job["id"])
            upstream.behaviour = completion("Back")
            done = await ended(ann, job["id"])
            upkeep.cancel()
        assert (done["result"]["text"], done["attempt"]) == ("Back", 2)


async def test_nothing_is_claimed_for_a_server_whose_calls_fail(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulses, "_FIRST_PAUSE", 1.0)
    async with Upstream(only_turns(status(500))) as upstream, at(settings, upstream) as world:
        ann = await world.bootstrap()
        made = await push(ann, upstream)
        pulse = world.app.fleet.health_of(made["id"])
        async with running(world):
            ids = [(await ask(ann))["id"] for _ in range(pulses.FAILURES_BEFORE_PAUSE)]
            for id in ids:
                await failed(ann, id)
            assert not pulse.is_available
            calls = len(upstream.turns())
            upstream.behaviour = completion()
            waiting = await ask(ann)
            await asyncio.sleep(0.3)
            assert ((await look(ann, waiting["id"]))["state"], len(upstream.turns())) == ("queued", calls)
            assert (await ended(ann, waiting["id"]))["state"] == "succeeded"
        assert len(ids) == calls


def test_the_pause_grows_and_a_success_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(random, "uniform", lambda *_: 1.0)
    pulse = pulses.HealthTracker()
    pauses: list[float] = []
    for _ in range(10):
        while pulse.is_available:
            pulse.record_call(False)
        began = now[0]
        pulse.record_call(False)  # what began before it was shut
        while not pulse.is_available:
            now[0] += 1
        pauses.append(now[0] - began)
    assert pauses == [5, 10, 20, 40, 80, 160, 300, 300, 300, 300]
    pulse.record_call(True)
    pulse.record_call(False)
    assert pulse.is_available


async def test_a_company_s_server_that_never_answers_holds_up_nobody_else(settings: Settings) -> None:
    async with Upstream() as upstream, at(settings, upstream, job_slots=4) as world:
        fleet = world.app.fleet
        await world.bootstrap()
        fleet._active_calls["their company"] = 1
        assert (fleet._free_slots("their company"), fleet._free_slots("other"), fleet._free_slots("")) == (0, 1, 4)


# Health


async def test_health_is_what_the_last_probe_said(settings: Settings, hands: Hands) -> None:
    async with Upstream() as upstream, at(settings, upstream) as world:
        ann = await world.bootstrap()
        id = (await push(ann, upstream))["id"]

        async def probed() -> str:
            world.app.fleet.health_of(id)._probe_at = 0
            await world.app.fleet.probe(world.db)
            return str((await listed(ann, "Big"))["health"])

        assert await probed() == "up"
        assert [asked.path for asked in upstream.asked] == ["/v1/models"]
        upstream.behaviour = status(500)
        assert await probed() == "stale"
        assert await world.app.fleet.work_sources(world.db) == []
        hands.forward(3700)
        await move_clock(world, 3700)
        assert await probed() == "down"
        upstream.behaviour = status(404)
        assert (await probed(), len(await world.app.fleet.work_sources(world.db))) == ("up", 1)


async def test_a_probe_comes_now_and_then_and_not_when_somebody_looks(settings: Settings) -> None:
    async with Upstream() as upstream, at(settings, upstream) as world:
        ann = await world.bootstrap()
        await push(ann, upstream)
        for _ in range(3):
            await ann.get("/api/executors")
        assert upstream.connections == 0
        for _ in range(3):
            await world.app.fleet.probe(world.db)
        assert upstream.connections == 1


async def test_one_that_was_never_reached_is_down(settings: Settings) -> None:
    async with Upstream(status(503)) as upstream, at(settings, upstream) as world:
        ann = await world.bootstrap()
        await push(ann, upstream)
        await world.app.fleet.probe(world.db)
        assert (await listed(ann, "Big"))["health"] == "down"
        job = await ask(ann)
        assert (await look(ann, job["id"]))["waiting"]["reason"] == "no_worker"


# Who may, and what is shown


async def test_no_spelling_of_an_inner_address_is_taken(settings: Settings) -> None:
    async with Upstream() as canary, made(settings) as world:
        ann = await world.bootstrap()
        boss = await world.person(*await world.company(), Role.ADMIN, org_role=OrgRole.ADMIN)
        for caller, path in ((ann, "/api/executors"), (boss, "/api/org/executors")):
            for url in spellings(canary.port):
                answer = await caller.post(path, {"name": "x", "mode": "push", "url": url})
                assert refusal(answer) == (400, "invalid_request"), url
                assert answer.json()["errors"][0]["pointer"] == "/url", url
        assert canary.connections == 0


async def test_a_company_never_gets_what_is_listed_for_the_operator(settings: Settings) -> None:
    async with Upstream() as upstream, at(settings, upstream) as world:
        ann = await world.bootstrap()
        org, team = await world.company()
        boss = await world.person(org, team, Role.ADMIN, org_role=OrgRole.ADMIN)
        body = {"name": "Ours", "mode": "push", "url": upstream.url}
        refused = await boss.post("/api/org/executors", body)
        assert refusal(refused) == (400, "invalid_request")
        assert "SERVICE_EGRESS_ALLOW" not in refused.text
        assert (await ann.post("/api/org/executors", body)).status_code in (400, 403)
        theirs = await ann.post("/api/executors", {**body, "org_id": org.id})
        assert (theirs.status_code, theirs.json()["org_id"]) == (201, org.id)
        async with running(world):
            job = await ended(boss, (await ask(boss))["id"])
        assert (job["state"], upstream.connections) == ("succeeded", 1)


async def test_a_company_s_row_is_called_by_the_company_s_rule(settings: Settings) -> None:
    """Whatever was taken in at the time: the rule is asked again with every call."""
    async with Upstream() as canary, at(settings, canary) as world:
        ann = await world.bootstrap()
        made = await push(ann, canary)
        async with world.db.maintenance(system()) as tx:
            await tx.run("UPDATE executors SET reach = 'public' WHERE id = :id", id=made["id"])
        async with running(world):
            job = await ask(ann)
            seen = await failed(ann, job["id"])
        await world.app.fleet.probe(world.db)
        assert seen["error"]["message"] == "The model server cannot be reached."
        assert canary.connections == 0


async def test_the_address_is_for_those_who_run_it(settings: Settings) -> None:
    async with Upstream() as upstream, at(settings, upstream) as world:
        ann = await world.bootstrap()
        org, team = await world.company()
        await push(ann, upstream, "Theirs", org_id=org.id, key=KEY)
        await push(ann, upstream, "All")
        boss = await world.person(org, team, Role.ADMIN, org_role=OrgRole.ADMIN)
        member = await world.person(org, team)
        mark = fleets.fingerprint(KEY)
        assert ((await listed(ann, "Theirs"))["url"], (await listed(ann, "All"))["url"]) == (upstream.url,) * 2
        theirs, common = await listed(boss, "Theirs"), await listed(boss, "All")
        assert (theirs["url"], theirs["key_fingerprint"], common["url"]) == (upstream.url, mark, None)
        seen = await listed(member, "Theirs")
        assert (seen["url"], seen["key_fingerprint"]) == (None, None)


async def test_the_key_is_nowhere_to_be_read(settings: Settings) -> None:
    async with Upstream() as upstream, at(settings, upstream) as world:
        ann = await world.bootstrap()
        answers = [
            await ann.post("/api/executors", {"name": "x", "mode": "push", "url": upstream.url, "key": KEY}),
            await ann.get("/api/executors"),
            await ann.get("/api/org/audit"),
            await ann.get("/api/audit"),
        ]
        assert all(KEY not in answer.text for answer in answers)
        rows = await world.db.all(str, "SELECT secret FROM executors")
        assert [row[:3] for row in rows] == ["v1:"]
        id = answers[0].json()["id"]
    for path in settings.data.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path
    await ops.rekey(settings)
    async with Upstream() as upstream, at(settings, upstream) as world:
        _, endpoint = await world.app.fleet._endpoint(world.db, id)
        assert endpoint.key == KEY
        assert any(column.table == "executors" for column in wiring.ENCRYPTED)


async def test_a_retired_executor_s_key_is_gone_and_nobody_calls_it(settings: Settings) -> None:
    async with Upstream() as upstream, at(settings, upstream) as world:
        ann = await world.bootstrap()
        made = await push(ann, upstream, key=KEY)
        await push(ann, upstream, "Other")
        assert len(await world.app.fleet.work_sources(world.db)) == 2
        assert (await ann.delete(f"/api/executors/{made['id']}")).status_code == 204
        assert [station.executor_id for station in await world.app.fleet.work_sources(world.db)] != [made["id"]]
        assert await world.db.one(str, "SELECT secret FROM executors WHERE id = :id", id=made["id"]) is None
        assert await unsound(world) == []


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"mode": "push"}, "/url"),
    ({"mode": "push", "url": ""}, "/url"),
    ({"mode": "push", "url": 7}, "/url"),
    ({"mode": "push", "url": "https://models.example", "key": "a b"}, "/key"),
    ({"mode": "push", "url": "https://models.example", "key": "a\nb"}, "/key"),
    ({"mode": "pull", "url": "https://models.example"}, "/url"),
    ({"mode": "pull", "key": KEY}, "/key"),
)


async def test_what_is_wrong_with_one_is_told_by_name(world: World) -> None:
    ann = await world.bootstrap()
    for body, pointer in WRONG:
        answer = await ann.post("/api/executors", {"name": "x", **body})
        assert refusal(answer) == (400, "invalid_request"), body
        assert answer.json()["errors"][0]["pointer"] == pointer, body
    assert refusal(await ann.post("/api/executors", {"name": "Local", "mode": "pull"})) == (409, "conflict")


async def test_there_is_an_end_to_how_many(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("teamspace.executors.domain.registry.MAX_EXECUTORS", 2)
    ann = await world.bootstrap()
    for number in range(2):
        await executor(world, ann, f"Number {number}")
    assert refusal(await ann.post("/api/executors", {"name": "x", "mode": "pull"})) == (409, "conflict")
