"""Sources and derived objects, as far as the caller may see them."""

import pytest

from tests.identity.help import run_sql
from tests.repository.help import put, share
from tests.support.world import Caller, World

INSERT_DERIVATION = (
    "INSERT INTO object_derivations (object_id, number, source_id, source_number, checked_number, recipe, latest, org_id,"
    " run_id, step, created_at)"
    " VALUES (:object_id, 1, :source_id, 1, 1, '', TRUE, :org_id, :run_id, 'translate', '2030-01-01T00:00:00.000Z')"
)


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def derive(world: World, owner: Caller, source: str, key: str, run_id: str = "run-1") -> str:
    """Insert an object derived from another."""
    created: str = (await put(owner, key))["id"]
    await run_sql(world, INSERT_DERIVATION, object_id=created, source_id=source, org_id=owner.org.id, run_id=run_id)
    return created


async def test_sources_and_derived_objects_are_listed_with_run_and_step(world: World, ann: Caller) -> None:
    source = (await put(ann, "letter.md"))["id"]
    derived = await derive(world, ann, source, "letter.es.md")
    answer = (await ann.get(f"/api/repo-obj/{source}/derivations")).json()
    assert answer["sources"] == []
    (step,) = answer["derived"]
    assert (step["id"], step["key"], step["run_id"], step["step"]) == (derived, "letter.es.md", "run-1", "translate")
    (origin,) = (await ann.get(f"/api/repo-obj/{derived}/derivations")).json()["sources"]
    assert (origin["id"], origin["version"], origin["source_version"]) == (source, 1, 1)
    assert (await ann.get(f"/api/repo-obj/{source}/processing")).json()["runs"] == ["run-1"]


async def test_derived_objects_without_access_are_hidden(world: World, ann: Caller) -> None:
    source = (await put(ann, "letter.md"))["id"]
    derived = await derive(world, ann, source, "letter.es.md", "secret-run")
    bob = await world.person(ann.org, await world.team(ann.org))
    await share(ann, source, bob)
    for path in ("derivations", "processing"):
        answer = await bob.get(f"/api/repo-obj/{source}/{path}")
        assert answer.json()["derived"] == []
        assert "secret-run" not in answer.text and derived not in answer.text


async def test_deleted_objects_are_not_listed(world: World, ann: Caller) -> None:
    source = (await put(ann, "letter.md"))["id"]
    derived = await derive(world, ann, source, "letter.es.md")
    await ann.delete(f"/api/repo-obj/{source}")
    assert (await ann.get(f"/api/repo-obj/{derived}/derivations")).json() == {"sources": [], "derived": []}
