"""Definitions: publishing, versions, the format, and workflows of plugins in every team."""

from pathlib import Path

import msgspec
import pytest

from teamspace.app import assemble
from teamspace.core.limits import Stopping
from teamspace.settings import Settings, load
from teamspace.tenancy.schemas import Role
from teamspace.tools import Toolbox
from teamspace.workflows.domain import definitions
from tests.plugins.help import failures, load_folders, world_with, write_plugin
from tests.support.world import World
from tests.support.world import world as open_world
from tests.workflows.help import add_toys, call, doubling, publish, ref, spec

PLUGIN = """
from teamspace.sdk import Permission, Tool, Workflow

TOOLS = (Tool("greet", "greet", "Greet.", Permission.WORKFLOWS_RUN),)
WORKFLOWS = (
    Workflow({"slug": "greeting", "start": "say", "max_steps": 5, "inputs": {"name": {"type": "string"}}, "steps": [
        {"id": "say", "kind": "tool", "tool": "greet", "with": {"name": {"$ref": "input.name"}}}]}),
)

async def greet(name: str) -> str:
    return f"Hello {name}"
"""


async def test_publishing_again_makes_a_new_version(world: World) -> None:
    add_toys(world)
    ann = await world.bootstrap()
    first = await publish(ann, doubling(title="Doubling", description="Doubles."))
    assert (first["slug"], first["version"], first["source"], first["author"]) == ("doubling", 1, "team", ann.user_id)
    assert (first["steps"], first["max_steps"], first["title"]) == (3, 50, "Doubling")
    assert first["inputs"] == {"below": {"type": "integer", "description": ""}}
    second = await publish(ann, doubling(version=7, max_steps=20))
    assert second["version"] == 2, "the team's own count, not the sender's"
    assert second["spec"] == doubling(max_steps=20, version=2)
    answer = await ann.get("/api/workflows/doubling")
    assert answer.json() == second | {"created_at": first["created_at"]}
    old = (await ann.get("/api/workflows/doubling?version=1")).json()
    assert (old["version"], old["max_steps"], old["spec"]["max_steps"]) == (1, 50, 50)
    assert (await ann.get("/api/workflows/doubling?version=3")).status_code == 404
    assert (await ann.get("/api/workflows/doubling?version=0")).status_code == 400
    listed = (await ann.get("/api/workflows")).json()
    assert [item["slug"] for item in listed["items"]] == sorted(item["slug"] for item in listed["items"])
    (item,) = (item for item in listed["items"] if item["slug"] == "doubling")
    assert item == {name: value for name, value in answer.json().items() if name != "spec"} | {"last_run": None}


async def test_a_list_has_pages(world: World) -> None:
    add_toys(world)
    ann = await world.bootstrap()
    for number in range(5):
        await publish(ann, doubling(f"many-{number}"))
    slugs, cursor = list[str](), ""
    while True:
        page = (await ann.get(f"/api/workflows?limit=2{cursor}")).json()
        slugs += [item["slug"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert [slug for slug in slugs if slug.startswith("many-")] == [f"many-{number}" for number in range(5)]
    assert slugs == sorted(set(slugs))


async def test_a_spec_with_faults_is_refused_with_all_of_them(world: World) -> None:
    add_toys(world)
    ann = await world.bootstrap()
    raw = spec(
        "bad", call("one", "no_such_tool"), call("two", "toy_say", **{"with": {"text": ref("input.x")}}), extra=1
    )
    answer = await ann.post("/api/workflows", raw)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_spec")
    pointers = {error["pointer"] for error in answer.json()["errors"]}
    assert {"/extra", "/steps/0/tool"} <= pointers
    assert (await ann.get("/api/workflows/bad")).status_code == 404
    report = await ann.post("/api/workflows?validate=1", raw)
    assert (report.status_code, report.json()["valid"], report.json()["version"]) == (200, False, 1)
    assert {error["pointer"] for error in report.json()["errors"]} == pointers
    good = await ann.post("/api/workflows?validate=1", doubling())
    assert good.json() == {"valid": True, "errors": [], "version": 1}
    assert (await ann.get("/api/workflows/doubling")).status_code == 404, "nothing was stored"


async def test_a_large_spec_is_checked_in_a_thread(world: World) -> None:
    add_toys(world)
    ann = await world.bootstrap()
    raw = spec("large", *(call(f"s{number}", "toy_say", **{"with": {"text": "x" * 1000}}) for number in range(100)))
    assert (await publish(ann, raw))["steps"] == 100
    raw["steps"][0]["with"]["text"] = "x" * 40_000
    answer = await ann.post("/api/workflows", raw)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_spec")


async def test_workflows_and_versions_are_limited(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    add_toys(world)
    ann = await world.bootstrap()
    before = len((await ann.get("/api/workflows")).json()["items"])
    monkeypatch.setattr(definitions, "MAX_WORKFLOWS", before + 2)
    monkeypatch.setattr(definitions, "MAX_VERSIONS", 2)
    await publish(ann, doubling("a"))
    await publish(ann, doubling("b"))
    answer = await ann.post("/api/workflows", doubling("c"))
    assert (answer.status_code, answer.json()["key"]) == (409, "workflows.too_many")
    await publish(ann, doubling("a"))
    answer = await ann.post("/api/workflows", doubling("a"))
    assert (answer.status_code, answer.json()["key"]) == (409, "workflows.too_many_versions")


async def test_the_format_is_public(world: World) -> None:
    answer = await world.anonymous.get("/api/workflows/schema")
    assert answer.status_code == 200
    body = answer.json()
    assert (body["format"], body["step_kinds"]) == (1, ["tool", "map", "choice"])
    assert body["schema"]["$id"].endswith("1")
    assert set(body) == {"format", "schema", "step_kinds", "bindings", "predicates", "limits"}


async def test_publishing_needs_its_permission(world: World) -> None:
    add_toys(world)
    ann = await world.bootstrap()
    viewer = await world.person(ann.org, ann.team, Role.VIEWER)
    assert (await viewer.post("/api/workflows", doubling())).status_code == 403
    await publish(ann, doubling())
    assert (await viewer.get("/api/workflows/doubling")).status_code == 200
    assert (await viewer.post("/api/workflows/doubling/run", {"input": {"below": 1}})).status_code == 403
    other_org, other_team = await world.company()
    stranger = await world.person(other_org, other_team, Role.OWNER)
    assert (await stranger.get("/api/workflows/doubling")).status_code == 404
    assert (await stranger.post("/api/workflows/doubling/run", {"input": {"below": 1}})).status_code == 404


async def test_a_plugins_workflow_is_in_every_team(settings: Settings, sqlite_template: Path, tmp_path: Path) -> None:
    folder = write_plugin(tmp_path / "greeter", PLUGIN)
    async with world_with(settings, sqlite_template, folder) as world:
        ann = await world.bootstrap()
        plugin = next(each for each in (await ann.get("/api/plugins")).json()["items"] if each["id"] == "greeter")
        assert plugin["workflows"] == ["greeting"]
        found = (await ann.get("/api/workflows/greeting")).json()
        assert (found["source"], found["version"], found["author"]) == ("greeter", 1, None)
        again = (await ann.get("/api/workflows/greeting")).json()
        assert again == found
        assert "greeting" in {item["slug"] for item in (await ann.get("/api/workflows")).json()["items"]}


async def test_a_changed_spec_of_a_plugin_is_a_new_version_unless_the_team_has_its_own(
    settings: Settings, sqlite_template: Path, tmp_path: Path
) -> None:
    folder = write_plugin(tmp_path / "old" / "greeter", PLUGIN)
    async with world_with(settings, sqlite_template, folder) as world:
        ann = await world.bootstrap()
        org, team = await world.company()
        bea = await world.person(org, team, Role.OWNER)
        own = (await ann.get("/api/workflows/greeting")).json()["spec"]
        assert (await publish(ann, own | {"max_steps": 3}))["version"] == 2
        assert (await bea.get("/api/workflows/greeting")).json()["version"] == 1
    changed = write_plugin(tmp_path / "new" / "greeter", PLUGIN.replace('"max_steps": 5', '"max_steps": 9'))
    async with open_world(msgspec.structs.replace(settings, plugins=(changed,))) as world:
        for token, expected in ((ann.token, (2, "team", 3)), (bea.token, (2, "greeter", 9))):
            answer = await world.anonymous.get("/api/workflows/greeting", headers={"authorization": f"Bearer {token}"})
            found = answer.json()
            assert (found["version"], found["source"], found["max_steps"]) == expected


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"tool": "greet"', '"tool": "nobody"', "the workflow greeting: /steps/0/tool: is not the name of a tool"),
        ('"max_steps": 5', '"max_steps": 0', "/max_steps"),
        ('"max_steps": 5', '"max_steps": 5, "colour": 1', "/colour"),
        ('"max_steps": 5', '"max_steps": {1}', "must be JSON"),
        ('Workflow({"slug"', 'Workflow("x") if True else Workflow({"slug"', "wrong fields: spec"),
        ('"slug": "greeting"', '"slug": 7', "/slug"),
    ],
)
def test_a_plugin_with_a_bad_workflow_is_left_out(tmp_path: Path, old: str, new: str, reason: str) -> None:
    assert old in PLUGIN
    tables = load_folders(write_plugin(tmp_path / "greeter", PLUGIN.replace(old, new)))
    assembly = assemble(load({"SERVICE_DATA": str(tmp_path)}, file=tmp_path / "none"), Stopping(), tables)
    assert reason in failures(assembly.tables)["greeter"]
    assert "greet" not in {tool.name for tool in assembly.dependencies[Toolbox]}


def test_two_plugins_cannot_have_the_same_slug(tmp_path: Path) -> None:
    one = write_plugin(tmp_path / "one", PLUGIN)
    two = write_plugin(tmp_path / "two", PLUGIN.replace('"greet"', '"greet2"'))
    assert failures(load_folders(one, two)) == {"two": "greeting: declared twice"}


async def test_a_workflow_goes_with_the_plugin_whose_tool_it_calls(tmp_path: Path) -> None:
    tools = write_plugin(tmp_path / "tools", PLUGIN.replace("async def greet(name: str)", "def greet(name: str)"))
    calls = PLUGIN.replace('TOOLS = (Tool("greet", "greet", "Greet.", Permission.WORKFLOWS_RUN),)', "")
    tables = load_folders(tools, write_plugin(tmp_path / "calls", calls.replace('"greeting"', '"other"')))
    assembly = assemble(load({"SERVICE_DATA": str(tmp_path)}, file=tmp_path / "none"), Stopping(), tables)
    assert set(failures(assembly.tables)) == {"tools", "calls"}


async def test_a_suspended_company_can_read_a_plugins_workflow(
    settings: Settings, sqlite_template: Path, tmp_path: Path
) -> None:
    folder = write_plugin(tmp_path / "greeter", PLUGIN)
    async with world_with(settings, sqlite_template, folder) as world:
        await world.bootstrap()
        org, team = await world.company()
        bea = await world.person(org, team, Role.OWNER)
        await world.suspend(org)
        found = (await bea.get("/api/workflows/greeting")).json()
        assert (found["source"], found["version"], found["spec"]["slug"]) == ("greeter", 1, "greeting")
        assert "greeting" in {item["slug"] for item in (await bea.get("/api/workflows")).json()["items"]}
        assert await world.db.one(int, "SELECT COUNT(*) FROM workflows WHERE team_id = :id", id=team.id) == 0
        tried = await bea.post("/api/workflows/greeting/run", {"input": {"name": "Bea"}, "dry_run": True})
        assert tried.status_code == 200, tried.text
        refused = await bea.post("/api/workflows/greeting/run", {"input": {"name": "Bea"}})
        assert (refused.status_code, refused.json()["code"]) == (403, "org_suspended")
