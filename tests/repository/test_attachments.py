"""Files of a page: whoever can read the note or document can read them, by its rights alone."""

import time

import pytest

from teamspace.core import clock
from teamspace.tenancy.schemas import OrgRole, Role
from tests.repository.help import fetch, keys, put, share
from tests.support.moment import move_clock
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


@pytest.fixture
async def bob(world: World, ann: Caller) -> Caller:
    """A guest in another team of the company: all his rights come from grants."""
    return await world.person(ann.org, await world.team(ann.org), Role.GUEST, username="bob")


async def note(caller: Caller, **more: str) -> str:
    id: str = (await caller.post("/api/notes", {"title": "Plan", "body": "x", **more})).json()["id"]
    return id


async def document(caller: Caller, **more: str) -> str:
    id: str = (await caller.post("/api/documents", {"title": "Plan", "body": "x", **more})).json()["id"]
    return id


async def attach(caller: Caller, page_id: str, name: str = "a.txt") -> str:
    id: str = (await put(caller, f"attachments/{page_id}/{name}", b"tide"))["id"]
    return id


async def share_note(caller: Caller, note_id: str, person: Caller, permission: str | None = "notes:read") -> None:
    body = {"user_id": person.user_id, "permission": permission}
    assert (await caller.post(f"/api/notes/{note_id}/share", body)).status_code == 200


async def statuses(caller: Caller, object_id: str) -> set[int]:
    """What the routes answer that read an object by its id; the address of the content works as the routes do."""
    made = await caller.get(f"/api/repo-obj/{object_id}/address")
    found = {made.status_code, (await caller.get(f"/api/repo-obj/{object_id}")).status_code}
    found.add((await fetch(caller, object_id)).status_code)
    found.add((await caller.post("/api/repo-zip", {"ids": [object_id]})).status_code)
    if made.status_code == 200:
        found.add((await caller.world.anonymous.get(made.json()["address"])).status_code)
    return found


async def can_read(caller: Caller, object_id: str) -> bool:
    found = await statuses(caller, object_id)
    assert found in ({200}, {404}), found
    return found == {200}


async def test_a_note_shared_with_a_person_shows_them_its_files_until_it_is_unshared(ann: Caller, bob: Caller) -> None:
    page = await note(ann)
    file = await attach(ann, page)
    assert not await can_read(bob, file)
    await share_note(ann, page, bob)
    assert await can_read(bob, file)
    assert await can_read(bob, await attach(ann, page, "later.txt"))
    await share_note(ann, page, bob, None)
    assert not await can_read(bob, file)


async def test_a_document_shared_with_a_person_a_team_or_until_a_day_shows_its_files(
    world: World, ann: Caller, bob: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await document(ann)
    file = await attach(ann, page)
    assert not await can_read(bob, file)
    await share(ann, page, bob, "view")
    assert await can_read(bob, file)
    person = {"principal_type": "user", "principal_id": bob.user_id}
    assert (await ann.post(f"/api/repo-obj/{page}/unshare", person)).status_code == 200
    assert not await can_read(bob, file)
    team = {"principal_type": "team", "principal_id": bob.team.id, "capability": "view"}
    until = {**team, "expires_at": clock.later(3600)}
    assert (await ann.post(f"/api/repo-obj/{page}/share", until)).status_code == 200
    assert await can_read(bob, file)
    monkeypatch.setattr(clock, "now", lambda: time.time() + 3601)
    await move_clock(world, 3601)
    assert not await can_read(bob, file)


async def test_who_reads_a_page_by_role_or_owns_it_reads_what_others_attached(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, await world.team(ann.org), Role.MEMBER, username="bob")
    page = await note(ann)
    await share_note(ann, page, bob, "notes:write")
    file = await attach(bob, page)
    assert await can_read(ann, file)
    carl = await world.person(ann.org, ann.team, Role.VIEWER, username="carl")
    dora = await world.person(ann.org, await world.team(ann.org), Role.MEMBER, username="dora", org_role=OrgRole.READER)
    assert not await can_read(carl, file) and not await can_read(dora, file)
    assert (await ann.put(f"/api/notes/{page}", {"visibility": "team"})).status_code == 200
    assert await can_read(carl, file) and await can_read(dora, file)


async def test_a_page_gives_the_right_to_read_and_no_other(ann: Caller, bob: Caller) -> None:
    page = await note(ann)
    file = await attach(ann, page)
    await share_note(ann, page, bob, "notes:manage")
    assert (await bob.get(f"/api/repo-obj/{file}")).json()["permissions"] == ["files:read"]
    for method, path, body in (
        ("DELETE", f"/api/repo-obj/{file}", None),
        ("POST", f"/api/repo-obj/{file}/visibility", {"visibility": "team"}),
        ("POST", f"/api/repo-obj/{file}/move", {"key": "mine.txt"}),
        ("GET", f"/api/repo-obj/{file}/grants", None),
        ("POST", f"/api/repo-obj/{file}/links", {}),
    ):
        assert (await bob(method, path, body)).status_code == 403, path
    # Found in the page only.
    assert await keys(bob, "") == await keys(bob, "?shared=1") == []


async def test_a_page_in_the_trash_shows_nobody_its_files(ann: Caller, bob: Caller) -> None:
    for page, path in ((await note(ann), "notes"), (await document(ann), "documents")):
        file = await attach(ann, page)
        await (share_note(ann, page, bob) if path == "notes" else share(ann, page, bob, "view"))
        assert await can_read(bob, file)
        assert (await ann.delete(f"/api/{path}/{page}")).status_code in (200, 204)
        assert not await can_read(bob, file) and await can_read(ann, file)
        assert (await ann.post(f"/api/trash/{page}/restore", {})).status_code == 200
        assert await can_read(bob, file)
        await ann.delete(f"/api/{path}/{page}")
        assert (await ann.delete(f"/api/trash/{page}")).status_code in (200, 204)
        assert not await can_read(bob, file) and await can_read(ann, file)


async def test_a_file_that_is_moved_away_is_no_longer_the_pages(ann: Caller, bob: Caller) -> None:
    page = await note(ann)
    await share_note(ann, page, bob)
    file = await attach(ann, page)
    for key, readable in (
        (f"attachments/{page}/b.txt", True),
        ("private/b.txt", False),
        (f"attachments/{await note(ann)}/b.txt", False),
        (f"attachments/{page}/a.txt", True),
    ):
        assert (await ann.post(f"/api/repo-obj/{file}/move", {"key": key})).status_code == 200
        assert await can_read(bob, file) is readable, key


async def test_nobody_shows_others_a_file_that_is_not_theirs_to_share(world: World, ann: Caller, bob: Caller) -> None:
    carl = await world.person(ann.org, ann.team, Role.MEMBER, username="carl")
    secret = (await put(ann, "secret.txt", b"s"))["id"]
    await share(ann, secret, carl, "edit")
    page = await note(carl)
    await share_note(carl, page, bob)
    assert (await carl.post(f"/api/repo-obj/{secret}/move", {"key": f"attachments/{page}/s.txt"})).status_code == 200
    assert await can_read(carl, secret) and not await can_read(bob, secret)


async def test_only_who_may_write_a_page_adds_files_to_it(world: World, ann: Caller, bob: Caller) -> None:
    carl = await world.person(ann.org, ann.team, Role.MEMBER, username="carl")
    page = await note(ann)
    await share_note(ann, page, bob)
    await share_note(ann, page, carl)
    assert not await can_read(bob, await attach(carl, page))
    stranger = await world.person(*await world.company("Other"), Role.OWNER)
    assert not await can_read(bob, await attach(stranger, page))
    assert not await can_read(stranger, await attach(ann, page, "b.txt"))


async def test_a_token_reads_files_of_a_page_within_its_scope_only(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, await world.team(ann.org), Role.OWNER, username="bob")
    page = await note(ann)
    file = await attach(ann, page)
    await share_note(ann, page, bob)
    for scope, readable in (
        (["files:read", "notes:read"], True),
        ([f"files:read:attachments/{page}/", "notes:read"], True),
        (["files:read:reports/", "notes:read"], False),
        (["files:read"], False),
    ):
        token = await world.token(bob, scope=scope)
        assert ((await fetch(token, file)).status_code == 200) is readable, scope
    assert (await fetch(await world.token(bob, scope=["notes:read"]), file)).status_code in (403, 404)


async def test_who_leaves_the_team_of_a_page_loses_its_files(world: World, ann: Caller) -> None:
    """The owner of a page has it while they are in its team."""
    second = await world.team(ann.org)
    bob = await world.person(ann.org, ann.team, Role.MEMBER, username="bob")
    page = await note(bob)
    await share_note(bob, page, ann, "notes:write")
    file = await attach(ann, page)
    other = await world.join(bob, second)
    assert await can_read(other, file)
    assert (await ann.delete(f"/api/members/{bob.user_id}")).status_code in (200, 204)
    assert not await can_read(other, file)
