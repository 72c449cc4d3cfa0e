"""The index of names by audience: of a document with as many names and grantees as it can have, and after a crash."""

import itertools

import pytest

from teamspace import knowledge
from teamspace.core.principal import system
from teamspace.repository.domain.sharing import MAX_GRANTS
from tests.identity.help import broken, run_sql
from tests.knowledge.help import learn, names, use, write
from tests.mcp.help import loop_watched
from tests.support.world import Caller, World
from tests.trash.help import restore

pytestmark = pytest.mark.both_databases
NAMES = [
    f"{first}a {last}er"
    for first, last in itertools.product(["Marit", "Jonas", "Ingel", "Sigri", "Bertr"], "ABCDEFGHIJKLMNOPQRST")
]
STORY = "\n".join(f"{one} met {other}." for one, other in itertools.pairwise(NAMES))


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def grant_to_many(caller: Caller, document: str) -> None:
    """Share a document with as many people as it can be shared with."""
    async with caller.world.db.maintenance(system()) as tx:
        await tx.run(
            "INSERT INTO object_grants (object_id, principal_type, principal_id, org_id, team_id, key, removed, capability,"
            " granted_by, created_at) WITH RECURSIVE numbers (n) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1"
            " FROM numbers WHERE n < :number) SELECT id, 'user', 'person' || CAST(n AS TEXT), org_id, team_id, key, removed,"
            " 'view', owner_id, created_at FROM objects CROSS JOIN numbers WHERE id = :id",
            id=document, number=MAX_GRANTS - 1,
        )  # fmt: skip


async def entries(world: World) -> int:
    """Check that the entries are those of the documents; return how many there are."""
    assert not await world.db.exists("SELECT 1 FROM kg_unlisted")
    assert "knowledge.entries" not in await broken(world)
    return await world.db.one(int, "SELECT COUNT(*) FROM kg_entries") or 0


async def test_a_document_with_many_grantees_never_holds_the_event_loop(ann: Caller, world: World) -> None:
    bob = await world.person(ann.org, ann.team)
    document = await write(ann, "Story", STORY)
    await grant_to_many(ann, document)
    await ann.post(f"/api/repo-obj/{document}/share", {"user_id": bob.user_id})
    async with loop_watched():
        await use(ann, "kg_extract", object=document)
    assert await entries(world) == (MAX_GRANTS + 1) * len(NAMES)

    async with loop_watched():
        assert (await ann.delete(f"/api/repo-obj/{document}")).status_code == 204
        assert await names(bob) == []
        await knowledge.complete_all(world.db)
    assert await entries(world) == 0

    async with loop_watched():
        assert (await restore(ann, document)).status_code == 200
        await knowledge.complete_all(world.db)
        assert await names(bob) == sorted(NAMES)
        await ann.put(f"/api/documents/{document}", {"body": "Olaf Brandt met Ida Holm."})
        await use(ann, "kg_extract", object=document)
        assert await names(bob) == ["Ida Holm", "Olaf Brandt"]
    assert await entries(world) == (MAX_GRANTS + 1) * 2


async def test_a_document_that_is_deleted_forever_leaves_its_entries_for_later(ann: Caller, world: World) -> None:
    document = await write(ann, "Story", STORY)
    await grant_to_many(ann, document)
    await use(ann, "kg_extract", object=document)
    async with loop_watched():
        await ann.delete(f"/api/repo-obj/{document}")
        assert (await ann.delete(f"/api/trash/{document}")).status_code == 204
        assert await names(ann) == []
        await knowledge.complete_all(world.db)
    assert await entries(world) == 0


async def test_what_a_killed_server_has_not_listed_is_listed_later(ann: Caller, world: World) -> None:
    bob = await world.person(ann.org, ann.team)
    document = await learn(ann, "Story", "Marta Keller met Olaf Brandt.", "team")
    await run_sql(world, "DELETE FROM kg_entries WHERE name = 'marta keller'")
    await run_sql(
        world, f"INSERT INTO kg_unlisted (object_id, org_id, after) VALUES ('{document}', '{ann.org.id}', '')"
    )
    assert await names(bob) == ["Olaf Brandt"]
    await knowledge.complete_all(world.db)
    assert await entries(world) == 3 * 2
    assert await names(bob) == ["Marta Keller", "Olaf Brandt"]


async def test_entries_of_an_older_version_are_not_shown(
    ann: Caller, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server may be killed before it deletes them."""
    document = await learn(ann, "Story", "Marta Keller met Olaf Brandt.")
    await ann.put(f"/api/documents/{document}", {"body": "Marta Keller met Ida Holm."})

    async def killed(*_: object) -> None:
        pass

    monkeypatch.setattr("teamspace.knowledge.domain.listing.complete", killed)
    await use(ann, "kg_extract", object=document)
    assert await names(ann) == []
    monkeypatch.undo()
    await knowledge.complete_all(world.db)
    assert await entries(world) == 2
    assert await names(ann) == ["Ida Holm", "Marta Keller"]
