"""The plugins that ship do what they say."""

import ast
from pathlib import Path
from typing import Any

import pytest

from teamspace import wiring
from tests.jobs.help import ended, running
from tests.plugins.help import failures
from tests.support.world import World

FOLDERS = Path(__file__).parents[2] / "plugins"
WORDS, ETA = "/api/x/example-tools/word-count", "/api/x/integrator-demo/eta"


@pytest.mark.sampled(1)
def test_all_are_loaded() -> None:
    assert failures(wiring.SHIPPED) == {}
    found = [result.package.source for result in wiring.SHIPPED.results if result.package.is_plugin]
    assert found == [
        "beta-onboarding",
        "doc-indexer",
        "doc-pipeline",
        "example-tools",
        "integrator-demo",
        "knowledge-graph",
        "rs3",
        "translate-chat",
    ]


@pytest.mark.sampled(1)
def test_they_import_nothing_but_the_sdk() -> None:
    for file in FOLDERS.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [each.name for each in node.names] if isinstance(node, ast.Import) else []
            assert not [name for name in names if name.startswith("teamspace") and name != "teamspace.sdk"], file


@pytest.mark.parametrize(
    ("text", "words"),
    [("", 0), ("one", 1), (" one\ttwo\nthree ", 3), ("日本語 テキスト", 2), ("a " * 100_000, 100_000)],
)
async def test_words_are_counted_by_every_route(world: World, text: str, words: int) -> None:
    ann = await world.bootstrap()
    assert (await ann.post(WORDS, {"text": text})).json() == {"words": words}
    if len(text) < 1000:
        assert (await ann.get(WORDS, params={"text": text})).json() == {"words": words}
    assert (await ann.post(WORDS, {})).json()["errors"][0]["pointer"] == ""
    assert (await world.anonymous.post(WORDS, {"text": text})).status_code == 401


async def test_words_are_counted_by_a_job(world: World) -> None:
    ann = await world.bootstrap()
    job = (await ann.post("/api/jobs", {"kind": "x.example-tools.word-count", "input": {"text": "a b"}})).json()
    async with running(world):
        assert (await ended(ann, job["id"]))["result"] == {"words": 2}


@pytest.mark.parametrize(
    ("lane", "answer"),
    [
        ("hamburg-oslo", {"lane": "hamburg-oslo", "days": 2, "known": True}),
        (" Hamburg-Oslo ", {"lane": "Hamburg-Oslo", "days": 2, "known": True}),
        ("here-there", {"lane": "here-there", "days": 14, "known": False}),
    ],
)
async def test_a_shipment_is_estimated(world: World, lane: str, answer: dict[str, Any]) -> None:
    ann = await world.bootstrap()
    assert (await ann.post(ETA, {"lane": lane})).json() == answer
    assert (await ann.get(ETA, params={"lane": lane})).json() == answer


async def test_a_shipment_without_a_lane_is_a_user_error(world: World) -> None:
    ann = await world.bootstrap()
    for refused in (
        await ann.post(ETA, {"lane": " "}),
        await ann.post(ETA, {}),
        await ann.get(ETA),
        await ann.get(f"{ETA}?lane="),
    ):
        assert (refused.status_code, refused.json()["code"]) == (400, "plugin_error")


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ({"lane": "a-b", "shipments": 3, "on_time": 0.5}, None),
        ({"lane": "a-b", "shipments": 0, "on_time": 1}, None),
        ({"lane": "c-d", "shipments": 3, "on_time": 0.5}, "not about the requested lane"),
        ({"lane": "a-b", "shipments": -1, "on_time": 0.5}, "whole number from 0"),
        ({"lane": "a-b", "shipments": 1, "on_time": 1.5}, "from 0 to 1"),
        ({"lane": "a-b", "shipments": 1.5, "on_time": 0.5}, "shipments"),
        ({"lane": "a-b", "shipments": 1}, "on_time"),
    ],
)
async def test_a_workers_report_is_checked(world: World, result: dict[str, Any], reason: str | None) -> None:
    kind = world.app.queue.kinds["x.integrator-demo.lane-report"]
    input = kind.read_input({"lane": "a-b"})
    if reason is None:
        assert (await kind.read_result(input, result)) is not None
    else:
        with pytest.raises(Exception, match=reason):
            await kind.read_result(input, result)


ADDED = ("tools", "workflows", "routes", "kinds", "blob_stores", "has_onboarding")


def _routes(path: str) -> list[dict[str, str]]:
    return [{"method": "GET", "path": path}, {"method": "POST", "path": path}]


async def test_the_report_lists_exactly_these(world: World) -> None:
    ann = await world.bootstrap()
    items = (await ann.get("/api/plugins")).json()["items"]
    assert {(item["version"], item["state"]) for item in items} == {("0.1.0", "loaded")}
    adds = {item["id"]: {name: item[name] for name in ADDED if item[name]} for item in items}
    assert adds == {
        "beta-onboarding": {"has_onboarding": True},
        "doc-indexer": {"workflows": ["index-documents"]},
        "doc-pipeline": {"workflows": ["process-upload"]},
        "example-tools": {"tools": ["word_count"], "routes": _routes(WORDS), "kinds": ["x.example-tools.word-count"]},
        "integrator-demo": {
            "tools": ["shipment_eta"],
            "routes": _routes(ETA),
            "kinds": ["x.integrator-demo.lane-report"],
        },
        "knowledge-graph": {"workflows": ["index-knowledge"]},
        "rs3": {"blob_stores": ["rs3"]},
        "translate-chat": {"tools": ["chat_message", "translate_text"], "workflows": ["translate-chat"]},
    }


async def test_files_for_signed_in_people_and_for_visitors_ship(world: World) -> None:
    """Both routes have something to serve."""
    ann = await world.bootstrap()
    bundle = await ann.get("/api/x/example-tools/bundle/index.js")
    assert bundle.status_code == 200 and "export default" in bundle.text
    for name in ("index.html", "page.js", "page.css"):
        landing = await world.anonymous.get(f"/beta/bundle/beta-onboarding/{name}")
        assert landing.content == (FOLDERS / "beta-onboarding" / "landing" / name).read_bytes()
        assert landing.headers["cache-control"] == "public, max-age=300"
