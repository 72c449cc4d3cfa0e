"""Runs: steps in order, maps with ordered results, choices, limits, failures; each step advances exactly once."""

import pytest

from teamspace.jobs.domain import ending
from tests.identity.help import run_sql
from tests.jobs.help import get_job
from tests.support.world import World
from tests.workflows import toys
from tests.workflows.help import (
    broken_invariants,
    call,
    choose,
    doubling,
    ended,
    map_over,
    publish,
    ref,
    run_to_end,
    spec,
    start,
    states,
    step_of,
    workflow_world,
)


async def test_a_run_goes_through_calls_and_maps(world: World) -> None:
    async with workflow_world(world) as ann:
        await publish(ann, doubling())
        begun = await start(ann, "doubling", {"below": 5})
        assert (begun["view"], begun["state"], begun["steps_used"], begun["owner"]) == (
            "full",
            "running",
            1,
            ann.user_id,
        )
        run = await ended(ann, begun["id"])
        assert (run["state"], run["steps_used"], run["error"]) == ("succeeded", 7, None)
        assert states(run) == {"list": "succeeded", "each": "succeeded", "total": "succeeded"}
        each = step_of(run, "each")
        assert (each["kind"], each["tool"], each["total"], each["succeeded"]) == ("map", "toy_double", 5, 5)
        assert [(item["index"], item["result"]) for item in each["items"]] == [(0, 0), (1, 2), (2, 4), (3, 6), (4, 8)]
        assert step_of(run, "total")["output"] == {"result": 20}
        assert run["input"] == {"below": 5}
        assert run["spec"]["version"] == 1
        assert set(toys.CALLS.values()) == {1}, "each item was called once"
        job = await get_job(ann, each["items"][3]["job_id"])
        assert job["input"] == {"run_id": run["id"], "step_id": "each", "item": 3}
        assert job["subject"] == {"type": "run", "id": run["id"]}
        assert await broken_invariants(world) == []


async def test_a_run_has_the_title_of_its_version(world: World) -> None:
    async with workflow_world(world) as ann:
        runs = list[str]()
        for title in ("", "Twice", "Two times"):
            await publish(ann, doubling(title=title))
            runs.append((await start(ann, "doubling", {"below": 0}))["id"])
        titles = ["doubling", "Twice", "Two times"]
        assert [(await ended(ann, run))["title"] for run in runs] == titles
        listed = (await ann.get("/api/runs?slug=doubling")).json()["items"]
        assert [run["title"] for run in listed] == titles[::-1]


async def test_a_map_without_items_is_passed(world: World) -> None:
    async with workflow_world(world) as ann:
        await publish(ann, doubling())
        run = await ended(ann, (await start(ann, "doubling", {"below": 0}))["id"])
        assert (run["state"], run["steps_used"]) == ("succeeded", 2)
        assert step_of(run, "each")["total"] == 0
        assert step_of(run, "total")["output"] == {"result": 0}
        only = spec("only", map_over("each", [], "toy_double", **{"with": {"number": ref("item")}}))
        run = await run_to_end(ann, only)
        assert (run["state"], run["steps_used"], states(run)) == ("succeeded", 0, {"each": "succeeded"})
        assert await broken_invariants(world) == []


async def test_a_choice_decides_what_follows(world: World) -> None:
    async with workflow_world(world) as ann:
        raw = spec(
            "choosing",
            choose("empty", {"empty": ref("input.text")}, "no", "yes"),
            call("yes", "toy_say", **{"with": {"text": ref("input.text")}, "end": True}),
            call("no", "toy_say", **{"with": {"text": "nothing"}}),
            inputs={"text": {"type": "string"}},
        )
        run = await run_to_end(ann, raw, {"text": "something"})
        assert states(run) == {"empty": "succeeded", "yes": "succeeded", "no": "skipped"}
        assert step_of(run, "empty")["output"] == {"result": False}
        assert step_of(run, "yes")["output"] == {"result": "something"}
        run = await ended(ann, (await start(ann, "choosing", {"text": ""}))["id"])
        assert states(run) == {"empty": "succeeded", "yes": "skipped", "no": "succeeded"}
        assert run["steps_used"] == 2, "a choice counts as one"
        assert await broken_invariants(world) == []


async def test_the_limit_of_steps_is_checked_before_a_fan_out(world: World) -> None:
    async with workflow_world(world) as ann:
        run = await run_to_end(ann, doubling(max_steps=6), {"below": 6})
        assert (run["state"], run["error"]["code"], run["error"]["step"]) == ("failed", "max_steps_exceeded", "each")
        assert run["error"]["params"] == {"step": "each", "needed": 7, "limit": 6}
        assert states(run) == {"list": "succeeded", "each": "failed", "total": "skipped"}
        assert (run["steps_used"], step_of(run, "each")["items"]) == (1, [])
        assert await broken_invariants(world) == []


async def test_a_map_over_something_that_is_no_list_fails(world: World) -> None:
    async with workflow_world(world) as ann:
        raw = spec(
            "no-list",
            call("find", "toy_any", **{"with": {"value": {"names": "none"}}}),
            map_over("each", ref("steps.find.output.result.names"), "toy_say", **{"with": {"text": ref("item")}}),
        )
        run = await run_to_end(ann, raw)
        assert (run["state"], run["error"]["code"], run["error"]["key"]) == (
            "failed",
            "not_a_list",
            "workflows.not_a_list",
        )
        assert await broken_invariants(world) == []


async def test_the_first_item_out_of_attempts_fails_the_run(world: World) -> None:
    async with workflow_world(world) as ann:
        toys.FAILURES["b"] = ["missing"]
        over = ["a", "b", *(f"c{number}" for number in range(30))]
        raw = spec(
            "failing",
            map_over("each", over, "toy_say", **{"with": {"text": ref("item")}}),
            call("after", "toy_say", **{"with": {"text": "after"}}),
        )
        run = await run_to_end(ann, raw)
        assert (run["state"], run["error"]["code"], run["error"]["step"]) == ("failed", "not_found", "each")
        assert states(run) == {"each": "failed", "after": "skipped"}
        found = {item["state"] for item in step_of(run, "each")["items"]}
        assert found <= {"succeeded", "failed", "cancelled", "running"}
        assert step_of(run, "each")["failed"] == 1
        assert await broken_invariants(world) == []


async def test_a_step_is_retried_as_often_as_it_says(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "retry_delay", lambda failures: 0.01)
    async with workflow_world(world) as ann:
        toys.FAILURES["x"] = ["conflict", "crash"]
        run = await run_to_end(ann, spec("retry", call("say", "toy_say", **{"with": {"text": "x"}, "retry": 2})))
        assert run["state"] == "succeeded"
        assert (step_of(run, "say")["items"][0]["attempt"], sum(toys.CALLS.values())) == (3, 3)
        toys.FAILURES["y"] = ["crash"]
        run = await run_to_end(ann, spec("none", call("say", "toy_say", **{"with": {"text": "y"}})))
        assert (run["state"], run["error"]["code"]) == ("failed", "internal_error")
        toys.FAILURES["z"] = ["missing"]
        run = await run_to_end(ann, spec("final", call("say", "toy_say", **{"with": {"text": "z"}, "retry": 5})))
        assert (run["state"], run["error"]["code"]) == ("failed", "not_found"), "another attempt would get the same"
        assert step_of(run, "say")["items"][0]["attempt"] == 1
        assert await broken_invariants(world) == []


async def test_what_failed_attempts_have_spent_is_in_the_usage_of_the_run(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ending, "retry_delay", lambda failures: 0.01)
    async with workflow_world(world) as ann:
        toys.FAILURES["spend"] = ["failed", "failed"]
        raw = spec("spending", call("spend", "toy_spend", retry=2, **{"with": {"tokens": 50}}))
        run = await run_to_end(ann, raw)
        assert (run["state"], run["usage"]) == ("succeeded", {"requests": 3, "tokens": 150})
        assert step_of(run, "spend")["usage"] == {"requests": 3, "tokens": 150}
        toys.FAILURES["spend"] = ["failed"] * 3
        failed = await ended(ann, (await start(ann, "spending"))["id"])
        assert (failed["state"], failed["usage"]) == ("failed", {"requests": 3, "tokens": 150})


@pytest.mark.parametrize(("locale", "expected"), [(None, "en"), ("de", "de")])
async def test_a_run_has_the_locale_of_the_person_who_starts_it(
    world: World, locale: str | None, expected: str
) -> None:
    async with workflow_world(world) as ann:
        await run_sql(world, "UPDATE users SET locale = :locale WHERE id = :id", locale=locale, id=ann.user_id)
        raw = spec("locales", call("say", "toy_any", **{"with": {"value": [ref("locale"), ref("principal.locale")]}}))
        run = await run_to_end(await world.token(ann), raw)
        assert run["locale"] == expected
        assert step_of(run, "say")["output"] == {"result": [expected, expected]}


@pytest.mark.both_databases
async def test_the_list_shows_the_newest_run_of_each_workflow_however_old(world: World) -> None:
    async with workflow_world(world) as ann:
        for slug in ("first", "second", "third"):
            await publish(ann, doubling(slug))
        old = await ended(ann, (await start(ann, "first", {"below": 0}))["id"])
        for _ in range(2):
            newest = await ended(ann, (await start(ann, "second", {"below": 0}))["id"])
        await run_sql(world, _COPIES, count=300, id=newest["id"])
        items = {item["slug"]: item["last_run"] for item in (await ann.get("/api/workflows")).json()["items"]}
        shown = {name: old[name] for name in ("id", "state", "created_at", "finished_at")}
        assert items["first"] == shown
        assert (items["second"]["id"], items["third"]) == ("z-300", None)
        bob = await world.person(ann.org, await world.team(ann.org))
        await publish(bob, doubling("first"))
        others = (await bob.get("/api/workflows")).json()["items"]
        assert {item["last_run"] for item in others} == {None}, "runs of another team are not shown"


_COPIES = (
    "WITH RECURSIVE numbers (n) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < CAST(:count AS BIGINT))"
    " INSERT INTO runs (id, org_id, team_id, owner_id, slug, version, digest, max_steps, state, steps_used, counts,"
    " locale, objects, requests, tokens, created_at, finished_at) SELECT 'z-' || SUBSTR(CAST(1000 + n AS TEXT), 2),"
    " org_id, team_id, owner_id, slug, version, digest, max_steps, state, 0, counts, locale, objects, 0, 0, created_at,"
    " finished_at FROM runs, numbers WHERE runs.id = :id"
)
