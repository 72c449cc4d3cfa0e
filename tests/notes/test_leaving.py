"""Leaving a team ends all rights to one's items in it; they stay with the team."""

from typing import Any

from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Call, Principal
from teamspace.notes import access
from teamspace.repository import access as object_access
from teamspace.tenancy.schemas import Role
from tests.identity.help import refusal
from tests.support.world import Caller, World

HIDDEN = (404, "not_found")


async def leave_team(world: World, ann: Caller) -> tuple[Caller, dict[str, str]]:
    """A person who was removed from a team, acting in another one; and their items in the first team."""
    bob = await world.person(ann.org, ann.team)
    elsewhere = await world.join(bob, await world.team(ann.org))
    items: dict[str, str] = {}
    for visibility in ("private", "team", "shared"):
        note = await bob.post("/api/notes", {"title": f"bobs {visibility}", "visibility": visibility})
        document = await bob.post("/api/documents", {"title": f"bobs {visibility}", "visibility": visibility})
        items |= {f"/api/notes/{note.json()['id']}": visibility, f"/api/documents/{document.json()['id']}": visibility}
        items[f"/api/repo-obj/{document.json()['id']}"] = visibility
    for path in items:
        assert (await elsewhere.get(path)).status_code == 200, "still readable from another of their teams"
    assert (await ann.delete(f"/api/members/{bob.user_id}")).status_code == 204
    return elsewhere, items


async def test_a_former_member_cannot_read_or_change_their_items(world: World) -> None:
    ann = await world.bootstrap()
    bob, items = await leave_team(world, ann)
    for path in items:
        assert refusal(await bob.get(path)) == HIDDEN
        assert refusal(await bob.delete(path)) == HIDDEN
        if "repo-obj" not in path:
            assert refusal(await bob.put(path, {"title": "mine"})) == HIDDEN
    objects = [path for path in items if "repo-obj" in path]
    for path in objects:
        for suffix in ("content", "grants", "derivations", "processing"):
            assert refusal(await bob.get(f"{path}/{suffix}")) == HIDDEN
        assert refusal(await bob.post(f"{path}/visibility", {"visibility": "team"})) == HIDDEN
        assert refusal(await bob.post(f"{path}/presign")) == HIDDEN
    for path in ("/api/notes", "/api/notes?owner=me", "/api/notes?shared=1", "/api/documents", "/api/repo",
                 "/api/repo?delimiter=/", "/api/repo?shared=1", "/api/search?q=bobs"):  # fmt: skip
        assert (await bob.get(path)).json()["items"] == [], path


async def test_team_items_stay_visible_and_list_only_current_readers(world: World) -> None:
    ann = await world.bootstrap()
    bob, items = await leave_team(world, ann)
    for path, visibility in items.items():
        assert (await ann.get(path)).status_code == (200 if visibility == "team" else 404)
    [object_path] = [path for path, visibility in items.items() if "repo-obj" in path and visibility == "team"]
    readers = (await ann.get(f"{object_path}/grants?effective=1")).json()["effective"]
    assert bob.user_id not in [reader["user_id"] for reader in readers]


async def test_items_can_be_shared_with_a_former_member(world: World) -> None:
    ann = await world.bootstrap()
    bob, items = await leave_team(world, ann)
    note, document, _ = [path for path, visibility in items.items() if visibility == "team"]
    grant = {"user_id": bob.user_id, "permission": "notes:read"}
    assert (await ann.post(f"{note}/share", grant)).status_code == 200
    share = document.replace("documents", "repo-obj") + "/share"
    assert (await ann.post(share, {"user_id": bob.user_id})).status_code == 200
    for path in (note, document):
        assert (await bob.get(path)).status_code == 200
        assert refusal(await bob.delete(path)) == (403, "forbidden")


async def test_a_returning_member_has_access_to_their_items_again(world: World) -> None:
    ann = await world.bootstrap()
    bob, items = await leave_team(world, ann)
    await world.join(bob, ann.team, Role.GUEST)
    for path in items:
        assert (await bob.get(path)).status_code == 200


def queries(world: World, who: Principal) -> dict[str, tuple[str, dict[str, Any]]]:
    """The statements of the stores that include ownership."""
    dialect, page = world.db.dialect, {"before": "z", "limit": 50}
    notes, objects = access.fence(who, P.NOTES_READ), object_access.fence(who, P.FILES_READ)
    return {
        "one note": (f"SELECT 1 FROM notes WHERE id = :id AND {notes.sql}", notes.params | {"id": "x"}),
        "one object": (f"SELECT 1 FROM objects WHERE id = :id AND {objects.sql}", objects.params | {"id": "x"}),
        "notes": (notes.newest(dialect), notes.params | page),
        "objects": (objects.newest(dialect), objects.params | page),
        "keys": (
            objects.in_key_order(dialect, ("key", "id")),
            objects.params | {"after_key": "", "after_id": "", "limit": 50},
        ),
    }


async def fill_team(world: World, ann: Caller) -> Principal:
    """Fill a team with notes; return a member who owns none."""
    copies = (
        "INSERT INTO notes (id, org_id, team_id, owner_id, title, body, visibility, tags, version, created_at,"
        " updated_at) SELECT n.id || a.x || b.x || c.x, n.org_id, n.team_id, n.owner_id, n.title, n.body, n.visibility,"
        " n.tags, n.version, n.created_at, n.updated_at FROM notes n"
    )
    digits = " UNION ALL ".join(f"SELECT '{digit}' AS x" for digit in range(10))
    await ann.post("/api/notes", {"title": "many", "visibility": "team"})
    async with world.db.maintenance(Principal("system", Call())) as tx:
        await tx.run(f"{copies}, ({digits}) a, ({digits}) b, ({digits}) c")
    for number in range(20):
        await world.person(ann.org, ann.team, username=f"colleague{number}")
    bob = await world.person(ann.org, ann.team)
    if world.db.dialect.name == "postgres":
        await world.db.engine.fetch("ANALYZE", {})
    permissions = frozenset({P.NOTES_READ, P.FILES_READ})
    return Principal(
        "api", Call(), user_id=bob.user_id, team_id=ann.team.id, org_id=ann.org.id, permissions=permissions
    )


async def test_ownership_queries_do_not_scan_whole_tables(world: World) -> None:
    who = await fill_team(world, await world.bootstrap())
    explain = "EXPLAIN QUERY PLAN" if world.db.dialect.name == "sqlite" else "EXPLAIN"
    for name, (sql, params) in queries(world, who).items():
        rows = await world.db.engine.fetch(f"{explain} {sql}", params)
        plan = [str(row[3] if explain.endswith("PLAN") else row[0]) for row in rows]
        scanned = [step for step in plan if "SCAN notes" in step or "Seq Scan on notes" in step]
        assert not scanned, (name, plan)
