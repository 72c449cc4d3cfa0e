"""Push executors: calls to model servers, what the API shows of them, and how their failures are handled."""

import asyncio
import random
import time
from typing import Any

import msgspec
import pytest

from teamspace import executors, jobs, ops, wiring
from teamspace.core.principal import system
from teamspace.executors import reroute_unserved
from teamspace.executors.domain import fleet as fleet_domain
from teamspace.executors.domain import health as health_domain
from teamspace.settings import PushExecutor, Settings
from teamspace.tenancy.schemas import OrgRole, Role
from tests.executors.help import executor, push, world_calling
from tests.identity.help import Hands, hands, refusal
from tests.jobs.help import CHAT, broken_invariants, create_job, ended, get_job, queue, running
from tests.support.addresses import spellings
from tests.support.moment import move_clock
from tests.support.upstream import (
    Behaviour,
    Upstream,
    completion,
    cut_off,
    endless,
    no_http,
    on_chat,
    status,
)
from tests.support.world import Caller, World
from tests.support.world import world as open_world

__all__ = ["hands"]

KEY = "sk-very-secret-0123456789"


async def find_executor(caller: Caller, name: str) -> dict[str, Any]:
    items: list[dict[str, Any]] = (await caller.get("/api/executors")).json()["items"]
    return next(item for item in items if item["name"] == name)


async def tokens_used(caller: Caller) -> int:
    rows = {row["dimension"]: row["used"] for row in (await caller.get("/api/usage")).json()["items"]}
    return int(rows["ai.tokens.total"])


async def wait_until_failed(caller: Caller, job_id: str, seconds: float = 15) -> dict[str, Any]:
    """Poll until an attempt has failed, and return the job."""
    async with asyncio.timeout(seconds):
        while True:
            job = await get_job(caller, job_id)
            if job["error"]:
                return job
            await asyncio.sleep(0.02)


# The happy path


async def test_a_job_is_run_by_the_model_server(settings: Settings) -> None:
    async with Upstream(completion("Hello yourself")) as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        shown = await push(ann, upstream, model="tiny", key=KEY)
        assert (shown["mode"], shown["token"], shown["health"]) == ("push", None, "new")
        async with running(world):
            input = {"prompt": "Hello", "system": "Be brief.", "max_tokens": 9, "temperature": 0.5}
            job = await ended(ann, (await create_job(ann, input=input))["id"])
        assert (job["state"], job["executor"], job["result"]["text"]) == ("succeeded", shown["id"], "Hello yourself")
        assert job["result"]["usage"] == {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
        asked = upstream.chat_requests()[0]
        assert asked.headers["authorization"] == f"Bearer {KEY}"
        assert msgspec.json.decode(asked.body) == {
            "model": "tiny", "max_tokens": 9, "temperature": 0.5,
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
        }  # fmt: skip
        assert await tokens_used(ann) == 7
        assert await broken_invariants(world) == []


async def test_companies_use_a_shared_executor_over_connections_of_their_own(settings: Settings) -> None:
    async with Upstream() as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        bob = await world.person(*await world.company())
        await push(ann, upstream)
        async with running(world):
            for caller in (ann, bob, ann, bob):
                assert (await ended(caller, (await create_job(caller))["id"]))["state"] == "succeeded"
        assert (len(upstream.chat_requests()), upstream.connections) == (4, 2)
        await world.app.finish()
        await upstream.closed()


async def test_a_restarted_server_releases_its_own_and_push_jobs(settings: Settings) -> None:
    async with Upstream() as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        await push(ann, upstream, model="tiny")
        await executor(world, ann, "Small", model="small")
        states = {}
        for name in ("local", "Big", "Small", "gone from the settings"):
            id = (await find_executor(ann, name))["id"] if name != "gone from the settings" else "env:gone"
            job = await create_job(ann, input={"prompt": "x", "executor": "local"})
            await queue(world).claim(world.db, [CHAT], count=1, executor_id=id)
            await executors.recover(world.db)
            await jobs.sweep(world.db, queue(world))
            states[name] = (await get_job(ann, job["id"]))["state"]
            await ann.post(f"/api/jobs/{job['id']}/cancel")
        assert states == {"local": "queued", "Big": "queued", "Small": "running", "gone from the settings": "queued"}
        assert await broken_invariants(world) == []


async def test_missing_or_invalid_usage_is_estimated(settings: Settings) -> None:
    async with Upstream() as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        await push(ann, upstream)
        async with running(world):
            for usage in (None, {"prompt_tokens": -5, "completion_tokens": 1}, {"total_tokens": 9}, "many"):
                upstream.behaviour = completion("x" * 8, usage=usage)
                job = await ended(ann, (await create_job(ann, "y" * 12))["id"])
                assert job["result"]["usage"] == {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


async def test_a_model_and_an_executor_can_be_named(settings: Settings) -> None:
    async with Upstream() as small, Upstream() as large:
        allow = frozenset([small.address, large.address])
        async with open_world(msgspec.structs.replace(settings, egress_allow=allow)) as world:
            ann = await world.bootstrap()
            first = await push(ann, small, "Small", model="small")
            second = await push(ann, large, "Large", model="large")
            async with running(world):
                by_model = await ended(ann, (await create_job(ann, input={"prompt": "x", "model": "large"}))["id"])
                by_name = await ended(ann, (await create_job(ann, input={"prompt": "x", "executor": "small"}))["id"])
            assert (by_model["executor"], by_name["executor"]) == (second["id"], first["id"])


async def test_an_executor_without_a_model_takes_the_models_it_lists(settings: Settings) -> None:
    async with Upstream() as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        await push(ann, upstream)
        await world.app.fleet.probe(world.db)
        async with running(world):
            named = await ended(ann, (await create_job(ann, input={"prompt": "x", "model": "tiny"}))["id"])
            free = await ended(ann, (await create_job(ann))["id"])
        assert (named["state"], free["state"]) == ("succeeded", "succeeded")
        assert [msgspec.json.decode(asked.body)["model"] for asked in upstream.chat_requests()] == ["tiny", "tiny"]


# Executors from the settings


async def test_executors_from_the_settings_work_like_the_others(settings: Settings) -> None:
    async with Upstream() as upstream:
        named = (PushExecutor("gpu", upstream.url, "tiny", KEY),)
        async with world_calling(settings, upstream, executors=named) as world:
            ann = await world.bootstrap()
            await world.app.fleet.probe(world.db)
            async with running(world):
                job = await ended(ann, (await create_job(ann))["id"])
                chosen = await ended(ann, (await create_job(ann, input={"prompt": "x", "executor": "GPU"}))["id"])
            assert (job["executor"], chosen["executor"]) == ("env:gpu", "env:gpu")
            shown = await find_executor(ann, "gpu")
            assert (shown["id"], shown["mode"], shown["health"], shown["url"]) == (
                "env:gpu",
                "push",
                "up",
                upstream.url,
            )
            member = await world.person(ann.org, ann.team)
            seen = await find_executor(member, "gpu")
            assert (seen["url"], seen["key_fingerprint"]) == (None, None)
            assert refusal(await ann.delete("/api/executors/env:gpu")) == (409, "conflict")
            again = await ann.post("/api/executors", {"name": "GPU", "mode": "pull"})
            assert refusal(again) == (409, "conflict")
            assert KEY not in (await ann.get("/api/executors")).text
            assert await broken_invariants(world) == []


async def test_jobs_of_an_executor_removed_from_the_settings_are_run_by_the_server(settings: Settings) -> None:
    async with Upstream() as upstream:
        named = (PushExecutor("gpu", upstream.url, "tiny", KEY),)
        async with world_calling(settings, upstream, executors=named) as world:
            ann = await world.bootstrap()
            asked = [
                await create_job(ann, input={"prompt": "x", **target})
                for target in ({"executor": "GPU"}, {"model": "tiny"}, {})
            ]
            await reroute_unserved(world.db, world.app.fleet)
            channels = await world.db.all(str, "SELECT channel FROM jobs ORDER BY id")
            assert channels == ["ai.chat@on:env:gpu", "ai.chat@model:tiny", "ai.chat@push"], (
                "the executor is still configured"
            )
        async with world_calling(settings, upstream) as world:
            ann = Caller(world, ann.token)
            await reroute_unserved(world.db, world.app.fleet)
            async with running(world):
                done = [await ended(ann, job["id"]) for job in asked]
            assert {(job["state"], job["executor"]) for job in done} == {("succeeded", "local")}
            assert await broken_invariants(world) == []


async def test_a_real_local_model_runs_jobs_without_an_executor(settings: Settings) -> None:
    async with Upstream() as upstream:
        more = {"model_url": upstream.url, "model": "tiny", "model_key": KEY}
        async with world_calling(settings, upstream, **more) as world:
            ann = await world.bootstrap()
            local = await find_executor(ann, "local")
            assert (local["simulated"], local["model"], local["url"]) == (False, "tiny", None)
            await executor(world, ann, "Away", model="other")
            async with running(world):
                free = await ended(ann, (await create_job(ann))["id"])
                named = await ended(ann, (await create_job(ann, input={"prompt": "x", "model": "tiny"}))["id"])
            assert (free["executor"], named["executor"], free["result"]["text"]) == ("local", "local", "Hi")
            other = await create_job(ann, input={"prompt": "x", "model": "other"})
            assert (await get_job(ann, other["id"]))["waiting"]["reason"] == "no_worker"
            unknown = await ann.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "x", "model": "none"}})
            assert unknown.json()["errors"][0]["pointer"] == "/input/model"


async def test_without_a_real_model_the_local_executor_is_shown_as_simulated(world: World) -> None:
    assert (await find_executor(await world.bootstrap(), "local"))["simulated"] is True


# Failures

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
    (endless, "too large", True),
    (cut_off, "closed the connection", True),
    (no_http, "did not speak HTTP", True),
)


UNKNOWN_ENDS = (endless, cut_off, no_http)
"""The request was sent, so the model may have answered it."""


@pytest.mark.parametrize(("behaviour", "message", "retryable"), FAULTS, ids=lambda value: str(value)[:20])
async def test_a_failure_is_reported_and_retried_where_that_helps(
    settings: Settings, behaviour: Behaviour, message: str, retryable: bool
) -> None:
    async with Upstream(on_chat(behaviour)) as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        await push(ann, upstream, key=KEY)
        async with running(world):
            job = await create_job(ann)
            seen = await wait_until_failed(ann, job["id"])
        assert message in seen["error"]["message"]
        assert (seen["error"]["code"], seen["error"]["retryable"]) == ("executor_failed", retryable)
        assert seen["state"] == ("queued" if retryable else "failed")
        for secret in (KEY, "10.0.0.7", "127.0.0.1"):
            assert secret not in str(seen["error"])
        assert (await tokens_used(ann) > 0) == (behaviour in UNKNOWN_ENDS)
        assert await broken_invariants(world) == []


async def test_a_recovered_server_finishes_the_job(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Upstream(on_chat(status(500))) as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        await push(ann, upstream)
        async with running(world):
            upkeep = asyncio.create_task(world.app.upkeep())
            job = await create_job(ann)
            await wait_until_failed(ann, job["id"])
            upstream.behaviour = completion("Back")
            done = await ended(ann, job["id"])
            upkeep.cancel()
        assert (done["result"]["text"], done["attempt"]) == ("Back", 2)


async def test_nothing_is_claimed_for_a_failing_server(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health_domain, "_FIRST_PAUSE", 1.0)
    async with Upstream(on_chat(status(500))) as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        created = await push(ann, upstream)
        health = world.app.fleet.health_of(created["id"])
        async with running(world):
            ids = [(await create_job(ann))["id"] for _ in range(health_domain.FAILURES_BEFORE_PAUSE)]
            for id in ids:
                await wait_until_failed(ann, id)
            assert not health.is_available
            calls = len(upstream.chat_requests())
            upstream.behaviour = completion()
            waiting = await create_job(ann)
            await asyncio.sleep(0.3)
            assert ((await get_job(ann, waiting["id"]))["state"], len(upstream.chat_requests())) == ("queued", calls)
            assert (await ended(ann, waiting["id"]))["state"] == "succeeded"
        assert len(ids) == calls


def test_the_pause_grows_and_a_success_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(random, "uniform", lambda *_: 1.0)
    health = health_domain.HealthTracker()
    pauses: list[float] = []
    for _ in range(10):
        while health.is_available:
            health.record_call(False, "acme")
        began = now[0]
        health.record_call(False, "acme")  # a call that started before the pause
        while not health.is_available:
            now[0] += 1
        pauses.append(now[0] - began)
    assert pauses == [5, 10, 20, 40, 80, 160, 300, 300, 300, 300]
    health.record_call(True, "acme")
    health.record_call(False, "acme")
    assert health.is_available


def test_calls_of_one_company_do_not_pause_what_others_use() -> None:
    health = health_domain.HealthTracker()
    health.record_call(True, "globex")
    for _ in range(10):
        health.record_call(False, "acme")
    assert health.is_available
    health.record_call(False, "globex")
    assert not health.is_available


def test_failures_that_paused_nothing_make_the_first_pause_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(random, "uniform", lambda *_: 1.0)
    health = health_domain.HealthTracker()
    health.record_call(True, "globex")
    for _ in range(2000):  # 2.0 ** 2000 is no float
        health.record_call(False, "acme")
    health.record_call(False, "globex")
    assert not health.is_available
    now[0] += health_domain._FIRST_PAUSE
    assert health.is_available


async def test_a_hanging_server_of_one_company_does_not_delay_others(settings: Settings) -> None:
    async with Upstream() as upstream, world_calling(settings, upstream, job_slots=4) as world:
        fleet = world.app.fleet
        await world.bootstrap()
        fleet._active_calls["their company"] = 1
        assert (fleet._free_slots("their company"), fleet._free_slots("other"), fleet._free_slots("")) == (0, 1, 4)


# Health


async def test_health_follows_the_last_probe(settings: Settings, hands: Hands) -> None:
    async with Upstream() as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        id = (await push(ann, upstream))["id"]

        async def probe() -> str:
            world.app.fleet.health_of(id)._probe_at = 0
            await world.app.fleet.probe(world.db)
            return str((await find_executor(ann, "Big"))["health"])

        assert await probe() == "up"
        assert [asked.path for asked in upstream.requests] == ["/v1/models"]
        upstream.behaviour = status(500)
        assert await probe() == "stale"
        assert await world.app.fleet.work_sources(world.db) == []
        hands.forward(3700)
        await move_clock(world, 3700)
        assert await probe() == "down"
        upstream.behaviour = status(404)
        assert (await probe(), len(await world.app.fleet.work_sources(world.db))) == ("up", 1)


async def test_probes_run_on_a_schedule_and_not_when_executors_are_listed(settings: Settings) -> None:
    async with Upstream() as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        await push(ann, upstream)
        for _ in range(3):
            await ann.get("/api/executors")
        assert upstream.connections == 0
        for _ in range(3):
            await world.app.fleet.probe(world.db)
        assert upstream.connections == 1


async def test_an_executor_that_was_never_reached_is_down(settings: Settings) -> None:
    async with Upstream(status(503)) as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        await push(ann, upstream)
        await world.app.fleet.probe(world.db)
        assert (await find_executor(ann, "Big"))["health"] == "down"
        job = await create_job(ann)
        assert (await get_job(ann, job["id"]))["waiting"]["reason"] == "no_worker"


# Permissions and what is shown


async def test_private_addresses_are_refused_in_every_spelling(settings: Settings) -> None:
    async with Upstream() as canary, open_world(settings) as world:
        ann = await world.bootstrap()
        org_admin = await world.person(*await world.company(), Role.ADMIN, org_role=OrgRole.ADMIN)
        for caller, path in ((ann, "/api/executors"), (org_admin, "/api/org/executors")):
            for url in spellings(canary.port):
                answer = await caller.post(path, {"name": "x", "mode": "push", "url": url})
                assert refusal(answer) == (400, "invalid_request"), url
                assert answer.json()["errors"][0]["pointer"] == "/url", url
        assert canary.connections == 0


async def test_a_company_cannot_use_addresses_allowed_for_the_operator(settings: Settings) -> None:
    async with Upstream() as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        org, team = await world.company()
        org_admin = await world.person(org, team, Role.ADMIN, org_role=OrgRole.ADMIN)
        body = {"name": "Ours", "mode": "push", "url": upstream.url}
        refused = await org_admin.post("/api/org/executors", body)
        assert refusal(refused) == (400, "invalid_request")
        assert "SERVICE_EGRESS_ALLOW" not in refused.text
        assert (await ann.post("/api/org/executors", body)).status_code in (400, 403)
        company_executor = await ann.post("/api/executors", {**body, "org_id": org.id})
        assert (company_executor.status_code, company_executor.json()["org_id"]) == (201, org.id)
        async with running(world):
            job = await ended(org_admin, (await create_job(org_admin))["id"])
        assert (job["state"], upstream.connections) == ("succeeded", 1)


async def test_a_company_executor_is_called_by_the_rules_for_companies(settings: Settings) -> None:
    """The address is checked again on every call, not only when the executor is created."""
    async with Upstream() as canary, world_calling(settings, canary) as world:
        ann = await world.bootstrap()
        created = await push(ann, canary)
        async with world.db.maintenance(system()) as tx:
            await tx.run("UPDATE executors SET reach = 'public' WHERE id = :id", id=created["id"])
        async with running(world):
            job = await create_job(ann)
            seen = await wait_until_failed(ann, job["id"])
        await world.app.fleet.probe(world.db)
        assert seen["error"]["message"] == "The model server cannot be reached."
        assert canary.connections == 0


async def test_only_managers_of_an_executor_see_its_address(settings: Settings) -> None:
    async with Upstream() as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        org, team = await world.company()
        await push(ann, upstream, "Theirs", org_id=org.id, key=KEY)
        await push(ann, upstream, "All")
        org_admin = await world.person(org, team, Role.ADMIN, org_role=OrgRole.ADMIN)
        member = await world.person(org, team)
        mark = fleet_domain.fingerprint(KEY)
        assert ((await find_executor(ann, "Theirs"))["url"], (await find_executor(ann, "All"))["url"]) == (
            upstream.url,
        ) * 2
        company_executor, common = await find_executor(org_admin, "Theirs"), await find_executor(org_admin, "All")
        assert (company_executor["url"], company_executor["key_fingerprint"], common["url"]) == (
            upstream.url,
            mark,
            None,
        )
        seen = await find_executor(member, "Theirs")
        assert (seen["url"], seen["key_fingerprint"]) == (None, None)


async def test_the_key_is_never_shown_or_stored_in_plain_text(settings: Settings) -> None:
    async with Upstream() as upstream, world_calling(settings, upstream) as world:
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
    async with Upstream() as upstream, world_calling(settings, upstream) as world:
        _, endpoint = await world.app.fleet._endpoint(world.db, id)
        assert endpoint.key == KEY
        assert any(column.table == "executors" for column in wiring.ENCRYPTED)


async def test_a_retired_executor_loses_its_key_and_is_not_called(settings: Settings) -> None:
    async with Upstream() as upstream, world_calling(settings, upstream) as world:
        ann = await world.bootstrap()
        created = await push(ann, upstream, key=KEY)
        await push(ann, upstream, "Other")
        sources = {source.executor_id: source for source in await world.app.fleet.work_sources(world.db)}
        assert (await ann.delete(f"/api/executors/{created['id']}")).status_code == 204
        async with world.db.maintenance(system()) as tx:
            valid = {id: source.still_valid and await source.still_valid(tx) for id, source in sources.items()}
        assert sorted(valid.values(), key=str) == [False, True] and valid[created["id"]] is False
        assert await world.db.one(str, "SELECT secret FROM executors WHERE id = :id", id=created["id"]) is None
        assert await broken_invariants(world) == []


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"mode": "push"}, "/url"),
    ({"mode": "push", "url": ""}, "/url"),
    ({"mode": "push", "url": 7}, "/url"),
    ({"mode": "push", "url": "https://models.example", "key": "a b"}, "/key"),
    ({"mode": "push", "url": "https://models.example", "key": "a\nb"}, "/key"),
    ({"mode": "pull", "url": "https://models.example"}, "/url"),
    ({"mode": "pull", "key": KEY}, "/key"),
)


async def test_an_invalid_executor_is_refused_with_a_pointer_to_the_field(world: World) -> None:
    ann = await world.bootstrap()
    for body, pointer in WRONG:
        answer = await ann.post("/api/executors", {"name": "x", **body})
        assert refusal(answer) == (400, "invalid_request"), body
        assert answer.json()["errors"][0]["pointer"] == pointer, body
    assert refusal(await ann.post("/api/executors", {"name": "Local", "mode": "pull"})) == (409, "conflict")


async def test_the_number_of_executors_is_limited(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("teamspace.executors.domain.registry.MAX_EXECUTORS", 2)
    ann = await world.bootstrap()
    for number in range(2):
        await executor(world, ann, f"Number {number}")
    assert refusal(await ann.post("/api/executors", {"name": "x", "mode": "pull"})) == (409, "conflict")
