"""Favourites and recents over HTTP: what a person finds again, and only while they can read it."""

import asyncio
from typing import Any

import pytest

from teamspace.core import clock
from teamspace.favourites.schemas import KEPT_RECENTS, MAX_FAVOURITES
from teamspace.tenancy.schemas import Role
from tests.conversations.help import create
from tests.identity.help import run_sql
from tests.repository.help import put
from tests.support.world import Caller, World
from tests.triggers.help import publish, spec


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def shelf(caller: Caller, name: str = "favourites") -> list[tuple[str, str, str]]:
    answer = await caller.get(f"/api/{name}")
    assert answer.status_code == 200, answer.text
    return [(item["kind"], item["id"], item["title"]) for item in answer.json()["items"]]


async def note(caller: Caller, title: str, **more: Any) -> str:
    return str((await caller.post("/api/notes", {"title": title, **more})).json()["id"])


@pytest.mark.both_databases
async def test_everything_that_opens_can_be_starred_and_is_listed_newest_first(world: World, ann: Caller) -> None:
    await publish(ann, "plain")
    assert (await ann.post("/api/workflows", spec("digest") | {"title": "Morning digest"})).status_code == 201
    document = (await ann.post("/api/documents", {"title": "Berth plan", "body": "Free."})).json()["id"]
    file = (await put(ann, "plans/berths.txt", b"Free."))["id"]
    things = (
        ("note", await note(ann, "Rota"), "Rota"), ("document", document, "Berth plan"), ("file", file, "berths.txt"),
        ("conversation", await create(world, ann, "Which berth?"), "Which berth?"), ("workflow", "digest", "Morning digest"),
        ("workflow", "plain", "plain"),
    )  # fmt: skip
    for name in ("favourites", "recents"):
        for kind, id, _ in things:
            assert (await ann.put(f"/api/{name}/{kind}/{id}", None)).status_code == 204
        assert sorted(await shelf(ann, name)) == sorted(things)
    assert (await ann.put(f"/api/favourites/note/{things[0][1]}", None)).status_code == 204, (
        "a second star changes nothing"
    )
    await ann.put(f"/api/recents/note/{things[0][1]}", None)
    assert (await shelf(ann, "recents"))[0] == things[0], "opened again, it is the newest"
    assert (await ann.delete(f"/api/favourites/note/{things[0][1]}")).status_code == 204
    assert (await ann.delete(f"/api/favourites/note/{things[0][1]}")).status_code == 404
    assert things[0] not in await shelf(ann)


async def test_what_cannot_be_read_can_be_neither_starred_nor_seen(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team, Role.MEMBER)
    mine, ours = await note(ann, "Mine"), await note(ann, "Ours", visibility="team")
    for address in (f"favourites/note/{mine}", f"recents/note/{mine}", "favourites/note/x", f"favourites/place/{ours}"):
        assert (await bob.put(f"/api/{address}", None)).status_code == 404
    for name in ("favourites", "recents"):
        assert (await bob.put(f"/api/{name}/note/{ours}", None)).status_code == 204
        assert await shelf(ann, name) == [], "only the person sees it"
    await ann.put(f"/api/notes/{ours}", {"visibility": "private"})
    assert await shelf(bob) == await shelf(bob, "recents") == []
    assert (await bob.delete(f"/api/favourites/note/{ours}")).status_code == 204, "a star can always be removed"
    await ann.delete(f"/api/notes/{ours}")
    assert await shelf(bob, "recents") == []


async def test_each_team_has_its_own(world: World, ann: Caller) -> None:
    starred = await note(ann, "Rota")
    team = (await ann.post("/api/org/teams", {"name": "Second"})).json()
    await ann.put(f"/api/favourites/note/{starred}", None)
    await run_sql(world, "UPDATE favourites SET team_id = :team_id", team_id=team["id"])
    assert await shelf(ann) == []


@pytest.mark.both_databases
@pytest.mark.parametrize("pace", [0.001, 0], ids=["one-by-one", "in-one-millisecond"])
async def test_the_newest_fifty_are_kept(ann: Caller, pace: float, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [await note(ann, f"Note {number}") for number in range(KEPT_RECENTS + 3)]
    start = clock.now()
    for number, id in enumerate(ids):
        monkeypatch.setattr(clock, "now", lambda now=start + number * pace: now)
        await ann.put(f"/api/recents/note/{id}", None)
    assert {id for _, id, _ in await shelf(ann, "recents")} == set(ids[3:])


@pytest.mark.both_databases
async def test_stars_are_limited_also_for_requests_at_once(world: World, ann: Caller) -> None:
    ids = [await note(ann, f"Note {number}") for number in range(4)]
    await run_sql(
        world,
        "INSERT INTO favourites (user_id, team_id, kind, subject_id, org_id, at)"
        f" SELECT '{ann.user_id}', '{ann.team.id}', 'note', id, org_id, '' FROM notes WHERE id IN ('{ids[0]}')",
    )
    gone = MAX_FAVOURITES - 2
    for number in range(gone):
        await run_sql(
            world,
            "INSERT INTO favourites (user_id, team_id, kind, subject_id, org_id, at) VALUES"
            f" ('{ann.user_id}', '{ann.team.id}', 'file', 'gone-{number}', '{ann.org.id}', '')",
        )
    answers = await asyncio.gather(*(ann.put(f"/api/favourites/note/{id}", None) for id in ids[1:]))
    assert [answer.status_code for answer in answers] == [204] * 3, "what is gone makes room"
    assert len(await shelf(ann)) == 4


async def test_at_the_limit_a_further_star_is_refused(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("teamspace.favourites.domain.MAX_FAVOURITES", 2)
    ids = [await note(ann, f"Note {number}") for number in range(3)]
    answers = [await ann.put(f"/api/favourites/note/{id}", None) for id in ids]
    assert [answer.status_code for answer in answers] == [204, 204, 409]
    assert answers[-1].json()["key"] == "favourites.limit"
    assert len(await shelf(ann)) == 2


async def test_the_audit_log_does_not_tell_what_a_person_opens(ann: Caller) -> None:
    opened = await note(ann, "Rota")
    await ann.put(f"/api/recents/note/{opened}", None)
    await ann.put(f"/api/favourites/note/{opened}", None)
    events = (await ann.get("/api/audit")).json()["items"]
    assert not [event for event in events if event["action"].startswith(("recent", "favourite"))]
