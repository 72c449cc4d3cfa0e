"""Dry runs: what a run would cost at most, and what would stop it."""

from tests.support.world import World
from tests.workflows.help import add_toys, call, choose, map_over, publish, ref, spec


async def test_a_dry_run_says_what_a_run_costs_and_starts_none(world: World) -> None:
    add_toys(world)
    ann = await world.bootstrap()
    raw = spec(
        "spending",
        call("one", "toy_spend", **{"with": {"tokens": 30}}),
        map_over("each", [1, 2, 3], "toy_spend", **{"with": {"tokens": ref("item")}}),
        choose("many", {"greater_than": [ref("steps.one.output.result"), 10]}, "range", "end"),
        call("range", "toy_range", **{"with": {"below": 3}}),
        map_over("more", ref("steps.range.output.result"), "toy_spend", **{"with": {"tokens": 5}, "end": True}),
        call("end", "toy_say", **{"with": {"text": "done"}}),
        max_steps=20,
    )
    await publish(ann, raw)
    answer = await ann.post("/api/workflows/spending/run", {"dry_run": True})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    steps = {step["id"]: step for step in found["steps"]}
    assert (steps["one"]["requests"], steps["one"]["tokens"], steps["one"]["certain"]) == (1, 30, True)
    assert (steps["each"]["jobs"], steps["each"]["requests"], steps["each"]["tokens"]) == (3, 3, 6)
    assert (steps["more"]["jobs"], steps["more"]["most_jobs"], steps["more"]["certain"]) == (None, 14, False)
    assert found["estimate"] == {"requests": 18, "tokens": 36 + 14 * 5}
    assert (found["dry_run"], found["admitted"], found["blocked_by"]) == (True, True, None)
    assert found["executor"]
    assert (await ann.get("/api/runs")).json()["items"] == []
    limit = {"dimension": "ai.tokens.total", "limit": 10, "window": "month"}
    assert (await ann.post("/api/quota", limit)).status_code == 200
    found = (await ann.post("/api/workflows/spending/run", {"dry_run": True})).json()
    assert (found["admitted"], found["blocked_by"]["dimension"]) == (False, "ai.tokens.total")


async def test_a_dry_run_finds_what_cannot_work(world: World) -> None:
    add_toys(world)
    ann = await world.bootstrap()
    raw = spec(
        "failing",
        map_over("each", ref("input.texts"), "toy_say", **{"with": {"text": ref("item")}}),
        inputs={"texts": {"type": "array"}},
        max_steps=2,
    )
    await publish(ann, raw)
    found = (await ann.post("/api/workflows/failing/run", {"dry_run": True, "input": {"texts": ["a"] * 3}})).json()
    assert (found["admitted"], found["steps"][0]["error"]["key"]) == (False, "workflows.max_steps_exceeded")
    fine = (await ann.post("/api/workflows/failing/run", {"dry_run": True, "input": {"texts": ["a"]}})).json()
    assert (fine["admitted"], fine["executor"], fine["estimate"]) == (True, "", {"requests": 0, "tokens": 0})
    assert (await ann.post("/api/tools/toy_say", {"enabled": False})).status_code == 200
    off = (await ann.post("/api/workflows/failing/run", {"dry_run": True, "input": {"texts": ["a"]}})).json()
    assert (off["admitted"], off["steps"][0]["offered"]) == (False, False)
    missing = await ann.post("/api/workflows/failing/run", {"dry_run": True})
    assert (missing.status_code, missing.json()["errors"][0]["pointer"]) == (400, "/input/texts")
    unknown = await ann.post("/api/workflows/none/run", {"dry_run": True})
    assert unknown.status_code == 404


async def test_the_input_of_a_run_is_checked(world: World) -> None:
    add_toys(world)
    ann = await world.bootstrap()
    raw = spec(
        "typed", call("say", "toy_say", **{"with": {"text": ref("input.text")}}), inputs={"text": {"type": "string"}}
    )
    await publish(ann, raw)
    for input, pointer in (({}, "/input/text"), ({"text": 1}, "/input/text"), ({"text": "a", "x": 1}, "/input/x")):
        answer = await ann.post("/api/workflows/typed/run", {"input": input})
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, pointer)
    assert (await ann.get("/api/runs")).json()["items"] == []
