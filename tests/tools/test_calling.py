"""The gate of tools: who may call which tool, with which arguments, and what comes back."""

import json
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest

from teamspace import tenancy, tools
from teamspace.core import errors
from teamspace.core.db import audit
from teamspace.core.principal import Call, IdempotencyClaim, Principal
from teamspace.settings import Settings
from teamspace.tenancy.schemas import Role
from teamspace.tools.domain.results import MAX_SHOWN
from tests.identity.help import broken
from tests.plugins.help import ROGUE, SAMPLE, world_with
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases
AGENT = tools.ToolContext("agent")


@pytest.fixture
async def world(settings: Settings, sqlite_template: Path) -> AsyncIterator[World]:
    async with world_with(settings, sqlite_template, SAMPLE) as instance:
        yield instance


async def principal(caller: Caller) -> Principal:
    return await tenancy.act_for(caller.world.db, Call(), caller.user_id, caller.team.id)


async def call(caller: Caller, tool: str, **arguments: Any) -> httpx2.Response:
    """Call a tool through the sample plugin's route."""
    return await caller.post(f"/api/x/sample/call/{tool}", {"arguments": arguments})


async def value(caller: Caller, tool: str, **arguments: Any) -> Any:
    answer = await call(caller, tool, **arguments)
    assert answer.status_code == 200, answer.text
    return answer.json()["value"]


def code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def turn_on(caller: Caller, *names: str, enabled: bool = True) -> None:
    for name in names:
        answer = await caller.post(f"/api/tools/{name}", {"enabled": enabled})
        assert (answer.status_code, answer.json()["enabled"]) == (200, enabled), answer.text


async def note_of(caller: Caller, title: str = "Harbour", **fields: Any) -> str:
    answer = await caller.post("/api/notes", {"title": title, **fields})
    assert answer.status_code == 201, answer.text
    note_id: str = answer.json()["id"]
    return note_id


async def calls(world: World, action: str = "tool.call") -> list[tuple[str, str]]:
    """The recorded calls, or their ends: tool and outcome."""
    columns = ", ".join(audit.AuditRow.__struct_fields__)
    rows = await world.db.all(
        audit.AuditRow, f"SELECT {columns} FROM audit WHERE action = :action ORDER BY id", action=action
    )
    return [(row.target or "", json.loads(row.detail)["outcome"]) for row in rows]


# The first two tools


async def test_search_finds_what_the_caller_can_read(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    note = await note_of(ann, "Harbour plan", visibility="team")
    await note_of(ann, "Harbour secrets")
    assert [hit["id"] for hit in await value(bob, "search", q="harbour")] == [note]
    assert [hit["title"] for hit in await value(ann, "search", q="harbour", types=["note"], limit=1)] != []
    assert await value(ann, "search", q="harbour", types=["object"]) == []


async def test_read_note_returns_the_text(world: World) -> None:
    ann = await world.bootstrap()
    note = await note_of(ann, body="Ships come and go.", tags=["sea"])
    read = await value(ann, "read_note", id=note)
    assert (read["title"], read["body"], read["tags"]) == ("Harbour", "Ships come and go.", ["sea"])


async def test_a_strangers_note_is_not_found(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    eve = await world.person(org, team, Role.OWNER)
    colleague = await world.person(ann.org, ann.team)
    private = await note_of(ann)
    await turn_on(eve, "sample_sum")
    assert code(await call(eve, "read_note", id=private)) == (404, "not_found")
    assert code(await call(colleague, "read_note", id=private)) == (404, "not_found")
    missing = await call(eve, "read_note", id="nothing")
    hidden = await call(eve, "read_note", id=private)
    assert missing.json() | {"request_id": ""} == hidden.json() | {"request_id": ""}


# Who may call


async def test_an_unknown_tool_is_not_found(world: World) -> None:
    ann = await world.bootstrap()
    assert code(await call(ann, "no_such_tool")) == (404, "not_found")
    who = await principal(ann)
    with pytest.raises(errors.NotFound):
        await world.app.toolbox.call(world.db, who, "x\n" + "y" * 100_000, {}, AGENT)
    assert [(len(name), outcome) for name, outcome in await calls(world)] == [(12, "not_found"), (63, "not_found")]


async def test_a_token_needs_the_tools_permission_in_its_scope(world: World) -> None:
    ann = await world.bootstrap()
    note = await note_of(ann)
    scoped = await world.token(ann, scope=["chat:use", "search"])
    assert code(await call(scoped, "read_note", id=note)) == (403, "out_of_scope")
    assert await value(scoped, "search", q="harbour") == [], "the scope does not include notes:read"


async def test_a_role_without_the_permission_is_refused(world: World) -> None:
    ann = await world.bootstrap()
    who = msgspec.structs.replace(await principal(ann), permissions=frozenset())
    with pytest.raises(errors.Forbidden, match="create_note needs notes:write"):
        await world.app.toolbox.call(world.db, who, "create_note", {"title": "a"}, AGENT)


async def test_nobody_in_particular_may_call(world: World) -> None:
    await world.bootstrap()
    with pytest.raises(errors.Forbidden):
        await world.app.toolbox.call(world.db, Principal("anonymous", Call()), "search", {"q": "a"}, AGENT)


async def test_a_tool_of_a_disabled_feature_is_refused(world: World) -> None:
    ann = await world.bootstrap()
    await turn_on(ann, "sample_agent")
    assert await value(ann, "sample_agent") == "plugin"
    await ann.post("/api/features/agent", {"enabled": False})
    assert code(await call(ann, "sample_agent")) == (403, "feature_disabled")


async def test_a_team_turns_tools_on_and_off_for_itself(world: World) -> None:
    ann = await world.bootstrap()
    other = await world.join(ann, await world.team(ann.org), Role.OWNER)
    await turn_on(ann, "sample_sum")
    await turn_on(ann, "search", enabled=False)
    assert await value(ann, "sample_sum", amounts=[{"value": 2}, {"value": 5, "unit": "g"}]) == 2005
    assert code(await call(ann, "search", q="a")) == (403, "tool_disabled")
    assert code(await call(other, "sample_sum", amounts=[])) == (403, "tool_disabled")
    assert await value(other, "search", q="a") == []
    await turn_on(ann, "search")
    assert await value(ann, "search", q="a") == []
    listed = (await ann.get("/api/tools")).json()["items"]
    assert [tool["name"] for tool in listed] == sorted(tool["name"] for tool in listed)
    assert {tool["name"]: (tool["source"], tool["enabled"]) for tool in listed} == {
        "create_document": ("shipped", True), "create_note": ("shipped", True), "read_document": ("shipped", True),
        "read_note": ("shipped", True), "search": ("shipped", True), "sample_agent": ("sample", False),
        "sample_card": ("sample", False), "sample_large": ("sample", False), "sample_sum": ("sample", True),
        "shipment_eta": ("integrator-demo", True), "chat_message": ("translate-chat", True),
        "translate_text": ("translate-chat", True), "doc_text": ("shipped", True),
        "doc_extract_fields": ("shipped", True), "doc_render": ("shipped", True), "doc_translate": ("shipped", True),
        "kg_extract": ("shipped", True), "kg_find": ("shipped", True), "kg_list_unextracted": ("shipped", True),
        "repo_list_unindexed": ("shipped", True), "repo_extract_text": ("shipped", True),
        "word_count": ("example-tools", True),
    }  # fmt: skip
    assert await broken(world) == []


async def test_an_unknown_tool_is_not_turned_on(world: World) -> None:
    ann = await world.bootstrap()
    for name in ("no_such_tool", "SEARCH", "x" * 5000):
        assert code(await ann.post(f"/api/tools/{name}", {"enabled": True})) == (404, "not_found")


async def test_a_suspended_company_calls_nothing(world: World) -> None:
    ann = await world.bootstrap()
    who = await principal(ann)
    await world.suspend(ann.org)
    with pytest.raises(errors.OrgSuspended):
        await world.app.toolbox.call(world.db, who, "search", {"q": "a"}, AGENT)


# Arguments


@pytest.mark.parametrize(
    ("tool", "arguments", "pointer", "words"),
    [
        ("search", {}, "/arguments", "missing required field `q`"),
        ("search", {"q": ""}, "/arguments/q", "length >= 1"),
        ("search", {"q": 7}, "/arguments/q", "Expected `str`, got `int`"),
        ("search", {"q": "a", "query": "b"}, "/arguments", "unknown field `query`"),
        ("search", {"q": "a", "types": ["person"]}, "/arguments/types/0", "Invalid enum value 'person'"),
        ("search", {"q": "a", "limit": 51}, "/arguments/limit", "<= 50"),
        ("read_note", {"id": None}, "/arguments/id", "Expected `str`, got `null`"),
        ("read_note", {"id": "a\x00b"}, "/arguments", "NUL"),
        ("sample_sum", {"amounts": [{"value": 1}, {"value": "2"}]}, "/arguments/amounts/1/value", "Expected `int`"),
        ("sample_sum", {"amounts": [{"value": 1, "unit": "lb"}]}, "/arguments/amounts/0/unit", "Invalid enum value"),
        ("sample_sum", {"amounts": {}}, "/arguments/amounts", "Expected `array`, got `object`"),
    ],
)  # fmt: skip
async def test_a_wrong_argument_is_named(
    world: World, tool: str, arguments: dict[str, Any], pointer: str, words: str
) -> None:
    ann = await world.bootstrap()
    await turn_on(ann, "sample_sum")
    with pytest.raises(errors.BadRequest) as refusal:
        await world.app.toolbox.call(world.db, await principal(ann), tool, arguments, AGENT)
    (error,) = refusal.value.extra["errors"]
    assert error.pointer == pointer
    assert words in error.message
    assert await calls(world) == [(tool, "invalid_request")]


HOSTILE: dict[str, Callable[[], Any]] = {
    "long text": lambda: {"q": "x" * 4_000_000},
    "long key": lambda: {"q" * 4_000_000: 1},
    "many keys": lambda: {f"key{number}": number for number in range(200_000)},
    "many items": lambda: {"q": "a", "types": ["note"] * 400_000},
    "wrong items": lambda: {"q": "a", "types": [[]] * 400_000},
    "a list": lambda: ["q"] * 400_000,
    "a text": lambda: "q" * 4_000_000,
    "too large": lambda: {"q": "x" * 5_000_000},
    "lone surrogate": lambda: {"q": "\ud800"},
    "nested": lambda: {"q": "a", "types": _nested(100_000)},
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_wrong_shapes_at_maximum_size_are_refused_at_once(world: World, name: str) -> None:
    ann = await world.bootstrap()
    who = await principal(ann)
    arguments = HOSTILE[name]()
    taken: list[float] = []
    while not taken or (min(taken) >= 0.1 and len(taken) < 5):  # other processes slow a single try down
        began = time.thread_time()
        with pytest.raises((errors.BadRequest, errors.TooLarge)) as refusal:
            await world.app.toolbox.call(world.db, who, "search", arguments, AGENT)
        taken.append(time.thread_time() - began)
        assert len(refusal.value.detail) < 2000
    assert min(taken) < 0.1
    deep = arguments.pop("types") if name == "nested" else []
    while deep:
        (deep,) = deep  # freed level by level: the interpreter would recurse


def _nested(depth: int) -> list[Any]:
    deep: list[Any] = []
    for _ in range(depth):
        deep = [deep]
    return deep


# The record


async def test_every_call_and_its_outcome_are_recorded_without_its_arguments(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await world.bootstrap()
    note = await note_of(ann, "A secret title")
    await value(ann, "read_note", id=note)
    await call(ann, "read_note", id="a secret id")
    await call(ann, "sample_sum", amounts=[])

    async def broken_search(**_: object) -> None:
        raise ZeroDivisionError

    search = msgspec.structs.replace(world.app.toolbox.find("search"), handler=broken_search)
    monkeypatch.setitem(world.app.toolbox._by_name, "search", search)
    assert code(await call(ann, "search", q="a")) == (500, "internal_error")
    admitted = [("read_note", "admitted"), ("read_note", "admitted")]
    assert await calls(world) == [*admitted, ("sample_sum", "tool_disabled"), ("search", "admitted")]
    assert await calls(world, "tool.end") == [("read_note", "ok"), ("read_note", "not_found"), ("search", "failed")]
    details = await world.db.all(str, "SELECT detail FROM audit WHERE action LIKE 'tool.%'")
    assert not any("secret" in detail or note in detail for detail in details)


async def test_the_idempotency_key_is_left_to_the_tools_effect(world: World) -> None:
    ann = await world.bootstrap()
    who = await principal(ann)
    claim = IdempotencyClaim("key", b"digest")
    who = msgspec.structs.replace(who, call=Call(claim=claim))
    await world.app.toolbox.call(world.db, who, "search", {"q": "a"}, AGENT)
    assert not claim.taken


# Results


async def test_an_artifact_is_one_line_for_a_model_and_a_value_for_a_step(world: World) -> None:
    ann = await world.bootstrap()
    await turn_on(ann, "sample_card")
    result = await world.app.toolbox.call(world.db, await principal(ann), "sample_card", {"title": "A\nplan"}, AGENT)
    assert result.is_artifact
    assert result.shown == "[document] A plan: Two lines (object object-1)"
    assert result.value == {
        "kind": "document", "title": "A\nplan", "summary": "Two\nlines", "content_type": None, "object_id": "object-1",
        "version_id": None, "fields": {"a": 1},
    }  # fmt: skip
    long = await world.app.toolbox.call(
        world.db, await principal(ann), "sample_card", {"title": "word " * 100_000}, AGENT
    )
    assert len(long.shown) < 1100


async def test_an_artifact_of_an_undeclared_kind_is_an_error(settings: Settings, sqlite_template: Path) -> None:
    async with world_with(settings, sqlite_template, ROGUE) as world:
        ann = await world.bootstrap()
        await turn_on(ann, "rogue_card")
        with pytest.raises(TypeError, match="returned a image"):
            await world.app.toolbox.call(world.db, await principal(ann), "rogue_card", {}, AGENT)


def test_an_artifact_keeps_its_own_keys() -> None:
    with pytest.raises(ValueError, match="its own kind, title"):
        tools.Artifact(kind="text", title="A", extra={"title": "B", "kind": "link"})


@pytest.mark.parametrize("as_list", [False, True])
async def test_a_model_sees_a_bounded_part_and_a_step_the_whole(world: World, as_list: bool) -> None:
    ann = await world.bootstrap()
    await turn_on(ann, "sample_large")
    who = await principal(ann)
    arguments = {"times": 100_000, "as_list": as_list}
    result = await world.app.toolbox.call(world.db, who, "sample_large", arguments, AGENT)
    assert len(result.value) == 100_000
    assert MAX_SHOWN - 5 < len(result.shown.encode()) <= MAX_SHOWN
    assert "[cut: 16384 of" in result.shown
    small = await world.app.toolbox.call(world.db, who, "sample_large", {"times": 3, "as_list": as_list}, AGENT)
    assert small.shown == ('["é","é","é"]' if as_list else "ééé")


async def test_the_schema_describes_the_arguments(world: World) -> None:
    assert world.app.toolbox.find("sample_sum").schema == {
        "type": "object",
        "required": ["amounts"],
        "additionalProperties": False,
        "properties": {
            "amounts": {
                "type": "array", "description": "What to add up.", "maxItems": 100,
                "items": {
                    "type": "object", "required": ["value"], "additionalProperties": False,
                    "properties": {"value": {"type": "integer"}, "unit": {"enum": ["g", "kg"], "default": "kg"}},
                },
            },
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        },
    }  # fmt: skip
