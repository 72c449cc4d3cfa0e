"""Backlinks and mentions: what texts refer to, for those who can read the texts."""

import random

import msgspec
import pytest

from teamspace.references import find_links
from teamspace.tenancy.schemas import Role
from tests.jobs.help import running
from tests.repository.help import put, send, share
from tests.repository.test_texts import wait_for_text
from tests.support.world import Caller, World


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


@pytest.fixture
async def bob(world: World, ann: Caller) -> Caller:
    return await world.person(ann.org, ann.team, Role.MEMBER)


async def note(caller: Caller, title: str = "Note", body: str = "", visibility: str = "private") -> str:
    answer = await caller.post("/api/notes", {"title": title, "body": body, "visibility": visibility})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def document(caller: Caller, title: str = "Plan", body: str = "", visibility: str = "private") -> str:
    answer = await caller.post("/api/documents", {"title": title, "body": body, "visibility": visibility})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def backlinks(caller: Caller, to: str) -> list[tuple[str, str]]:
    answer = await caller.get(f"/api/references?to={to}")
    assert answer.status_code == 200, answer.text
    return [(item["kind"], item["title"]) for item in answer.json()["items"]]


async def mentions(caller: Caller) -> list[str]:
    answer = await caller.get("/api/mentions")
    assert answer.status_code == 200, answer.text
    return [item["title"] for item in answer.json()["items"]]


@pytest.mark.both_databases
async def test_a_link_is_a_backlink_until_the_text_has_it_no_more(ann: Caller) -> None:
    target = await note(ann, "Target")
    source = await note(ann, "Source", f"See [it](/notes/{target}).")
    plan = await document(ann, "Plan", f"See [it](/notes/{target}).")
    assert await backlinks(ann, f"note:{target}") == [("object", "Plan"), ("note", "Source")]
    first = (await ann.get(f"/api/references?to=note:{target}")).json()["items"]
    await ann.put(f"/api/notes/{source}", {"body": f"[Still](/app/notes/{target}) there."})
    assert (await ann.get(f"/api/references?to=note:{target}")).json()["items"] == first
    await ann.put(f"/api/notes/{source}", {"title": "Renamed"})
    assert await backlinks(ann, f"note:{target}") == [("object", "Plan"), ("note", "Renamed")]
    await ann.put(f"/api/documents/{plan}", {"body": "Nothing."})
    await ann.put(f"/api/notes/{source}", {"body": "Nothing."})
    assert await backlinks(ann, f"note:{target}") == []


@pytest.mark.both_databases
async def test_a_markdown_file_refers_too_once_its_text_is_read(world: World, ann: Caller) -> None:
    target = await document(ann, "Target")
    created = await put(ann, "notes/a.md", f"[it](/documents/{target})".encode(), content_type="text/markdown")
    async with running(world):
        await wait_for_text(ann, created["id"])
    for name in ("document", "object", "file"):
        assert await backlinks(ann, f"{name}:{target}") == [("object", "a")]
    await put(ann, "notes/a.md", b"no more", content_type="text/markdown")
    assert await backlinks(ann, f"object:{target}") == []


@pytest.mark.both_databases
async def test_nothing_refers_to_or_from_what_is_deleted(world: World, ann: Caller) -> None:
    target, other = await note(ann, "Target"), await document(ann, "Other")
    source = await note(ann, "Source", f"[a](/notes/{target}) [b](/documents/{other})")
    await ann.delete(f"/api/notes/{target}")
    assert (await ann.get(f"/api/references?to=note:{target}")).status_code == 404
    assert await backlinks(ann, f"object:{other}") == [("note", "Source")]
    await ann.delete(f"/api/notes/{source}")
    assert await backlinks(ann, f"object:{other}") == []
    await ann.delete("/api/trash")
    assert await world.db.all(str, "SELECT id FROM text_references") == []


async def test_references_are_back_with_what_comes_out_of_the_trash(ann: Caller) -> None:
    target = await note(ann, "Target")
    source = await note(ann, "Source", f"[a](/notes/{target})")
    for trashed in (target, source):
        await ann.delete(f"/api/notes/{trashed}")
    later = await note(ann, "Later", f"[a](/notes/{target})")
    for trashed in (target, source):
        assert (await ann.post(f"/api/trash/{trashed}/restore")).status_code == 200
    assert await backlinks(ann, f"note:{target}") == [("note", "Later"), ("note", "Source")], later


async def test_only_readers_of_the_text_see_that_it_refers(ann: Caller, bob: Caller) -> None:
    target = await note(ann, "Target", visibility="team")
    source = await note(ann, "Secret", f"[it](/notes/{target})")
    assert await backlinks(bob, f"note:{target}") == []
    await ann.post(f"/api/notes/{source}/share", {"user_id": bob.user_id, "permission": "notes:read"})
    assert await backlinks(bob, f"note:{target}") == [("note", "Secret")]
    hidden = await note(ann, "Hidden")
    assert (await bob.get(f"/api/references?to=note:{hidden}")).status_code == 404


async def test_what_is_of_another_company_is_no_target(world: World, ann: Caller) -> None:
    org, team = await world.company()
    eve = await world.person(org, team, Role.OWNER)
    theirs = await note(eve, "Theirs", visibility="team")
    await note(ann, "Source", f"[x](/notes/{theirs}) [@Eve](/people/{eve.user_id})")
    assert await world.db.all(str, "SELECT id FROM text_references") == []
    assert await backlinks(eve, f"note:{theirs}") == []


@pytest.mark.both_databases
async def test_a_mention_is_shown_as_soon_as_its_reader_can_read_the_text(ann: Caller, bob: Caller) -> None:
    source = await note(ann, "For Bob", f"Ask [@Bob](/people/{bob.user_id}).")
    plan = await document(ann, "Plan", f"Ask [@Bob](/people/{bob.user_id}).")
    assert await mentions(bob) == []
    await ann.put(f"/api/notes/{source}", {"visibility": "team"})
    assert await mentions(bob) == ["For Bob"]
    await share(ann, plan, bob)
    assert await mentions(bob) == ["Plan", "For Bob"]
    assert await mentions(ann) == []
    item = (await bob.get("/api/mentions")).json()["items"][0]
    assert (item["author"], item["id"], item["kind"]) == (ann.user_id, plan, "object")


async def test_mentions_have_pages_and_unreadable_ones_cost_no_item(ann: Caller, bob: Caller) -> None:
    for number in range(7):
        await note(ann, f"{number}", f"[@Bob](/people/{bob.user_id})", "team" if number % 2 else "private")
    first = (await bob.get("/api/mentions?limit=2")).json()
    assert [item["title"] for item in first["items"]] == ["5", "3"]
    rest = (await bob.get(f"/api/mentions?limit=2&cursor={first['next_cursor']}")).json()
    assert ([item["title"] for item in rest["items"]], rest["next_cursor"]) == (["1"], None)


async def test_a_target_is_a_kind_and_an_id(ann: Caller) -> None:
    for to in ("x", "note", "note:", "person:1"):
        assert (await ann.get(f"/api/references?to={to}")).status_code == 400


@pytest.mark.both_databases
@pytest.mark.parametrize("seed", range(3))
async def test_references_are_those_of_the_current_texts_after_any_changes(
    world: World, ann: Caller, bob: Caller, seed: int
) -> None:
    """Compares with the links of all stored texts, parsed again."""
    chance = random.Random(seed)
    things: dict[str, str] = {}
    for _ in range(60):
        await _change(chance, things, ann, bob)
        known = {*things, ann.user_id, bob.user_id}
        assert await _stored(world, known) == await _parsed(ann, things, known)


def _text(chance: random.Random, things: dict[str, str], people: list[str]) -> str:
    targets = [f"/{kind}/{id}" for id, kind in things.items()] + [f"/people/{id}" for id in people]
    links = chance.sample(targets, min(len(targets), chance.randrange(4)))
    return "\n".join(f"[x]({link})" if chance.random() < 0.8 else f"`[x]({link})`" for link in links)


async def _change(chance: random.Random, things: dict[str, str], ann: Caller, bob: Caller) -> None:
    text = _text(chance, things, [ann.user_id, bob.user_id])
    kind = chance.choice(["notes", "documents"])
    some = chance.choice(list(things)) if things else ""
    match chance.choice(["create", "create", "save", "save", "rename", "delete", "key"]):
        case "create":
            answer = await ann.post(f"/api/{kind}", {"title": f"T{len(things)}", "body": text})
            things[answer.json()["id"]] = kind
        case "save" if some:
            await ann.put(f"/api/{things[some]}/{some}", {"body": text})
        case "rename" if some:
            await ann.put(f"/api/{things[some]}/{some}", {"title": "Another", "tags": ["a"]})
        case "delete" if some:
            assert (await ann.delete_for_good(f"/api/{things.pop(some)}/{some}")).status_code == 204
        case "key" if some and things[some] == "documents":
            key = (await ann.get(f"/api/documents/{some}")).json()["key"]
            await send(ann, key, b"no links", content_type="text/markdown")


class Stored(msgspec.Struct, frozen=True, order=True):
    source: str
    kind: str
    target: str


async def _stored(world: World, known: set[str]) -> list[Stored]:
    """Return the references to what there is: those to what is deleted are of no use, and stay."""
    stored = await world.db.all(Stored, "SELECT source_id, target_kind, target_id FROM text_references")
    return sorted(row for row in stored if row.target in known)


async def _parsed(caller: Caller, things: dict[str, str], known: set[str]) -> list[Stored]:
    bodies = {id: (await caller.get(f"/api/{kind}/{id}")).json()["body"] for id, kind in things.items()}
    links = {id: await find_links(body) for id, body in bodies.items()}
    return sorted(
        Stored(id, link.kind, link.id) for id, found in links.items() for link in found if link.id in known - {id}
    )
