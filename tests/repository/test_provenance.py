"""Where a document comes from and what was made of it, as far as whoever asks may see."""

import pytest

from tests.identity.help import run_sql
from tests.repository.help import put, share
from tests.support.world import Caller, World

STEP = (
    "INSERT INTO object_derivations (object_id, number, source_id, source_number, org_id, run_id, step, created_at)"
    " VALUES (:object_id, 1, :source_id, 1, :org_id, :run_id, 'translate', '2030-01-01T00:00:00.000Z')"
)


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def derive(world: World, owner: Caller, source: str, key: str, run_id: str = "run-1") -> str:
    """What a run will do, once there are runs."""
    made: str = (await put(owner, key))["id"]
    await run_sql(world, STEP, object_id=made, source_id=source, org_id=owner.org.id, run_id=run_id)
    return made


async def test_sources_and_derived_documents_are_told_with_run_and_step(world: World, ann: Caller) -> None:
    source = (await put(ann, "letter.md"))["id"]
    derived = await derive(world, ann, source, "letter.es.md")
    told = (await ann.get(f"/api/repo-obj/{source}/derivations")).json()
    assert told["sources"] == []
    (step,) = told["derived"]
    assert (step["id"], step["key"], step["run_id"], step["step"]) == (derived, "letter.es.md", "run-1", "translate")
    (back,) = (await ann.get(f"/api/repo-obj/{derived}/derivations")).json()["sources"]
    assert (back["id"], back["version"], back["source_version"]) == (source, 1, 1)
    assert (await ann.get(f"/api/repo-obj/{source}/processing")).json()["runs"] == ["run-1"]


async def test_nobody_learns_of_what_they_may_not_see(world: World, ann: Caller) -> None:
    source = (await put(ann, "letter.md"))["id"]
    derived = await derive(world, ann, source, "letter.es.md", "secret-run")
    bob = await world.person(ann.org, await world.team(ann.org))
    await share(ann, source, bob)
    for path in ("derivations", "processing"):
        told = await bob.get(f"/api/repo-obj/{source}/{path}")
        assert told.json()["derived"] == []
        assert "secret-run" not in told.text and derived not in told.text


async def test_what_is_deleted_is_no_relative_any_more(world: World, ann: Caller) -> None:
    source = (await put(ann, "letter.md"))["id"]
    derived = await derive(world, ann, source, "letter.es.md")
    await ann.delete(f"/api/repo-obj/{source}")
    assert (await ann.get(f"/api/repo-obj/{derived}/derivations")).json() == {"sources": [], "derived": []}
