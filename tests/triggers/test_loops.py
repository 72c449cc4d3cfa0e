"""Loops are cut: derived documents, ancestry through runs and derivations, and the depth of provenance."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from teamspace.core.db import Tx
from teamspace.core.principal import system
from teamspace.repository import ObjectRow, VersionRow
from teamspace.repository.domain import writing
from teamspace.triggers.domain import ancestry
from teamspace.triggers.schemas import MAX_ANCESTORS, MAX_DEPTH, Ancestry
from tests.identity.help import run_sql
from tests.jobs.help import running
from tests.repository.help import put
from tests.support.world import Caller, World
from tests.triggers.help import add_trigger, history, publish, reasons


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


def writes(title: str) -> dict[str, Any]:
    """A step that creates a document at documents/<title>.md, without telling the repository about its run."""
    return {"id": "write", "kind": "tool", "tool": "create_document", "with": {"title": title}}


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = 30) -> None:
    async with asyncio.timeout(seconds):
        while not await condition():  # noqa: ASYNC110
            await asyncio.sleep(0.05)


@asynccontextmanager
async def settled(world: World, ann: Caller) -> AsyncIterator[None]:
    """Run jobs after the block, until no run is under way."""
    yield

    async def is_quiet() -> bool:
        return not (await ann.get("/api/runs?state=running")).json()["items"]

    async with running(world):
        await until(is_quiet)


@pytest.mark.parametrize(("on_derived", "reason"), [(False, "derived"), (True, "loop")])
async def test_the_output_of_a_run_does_not_fire_the_trigger_that_started_it(
    world: World, ann: Caller, on_derived: bool, reason: str
) -> None:
    await publish(ann, "copy", writes("copy"), object_id="string")
    trigger = await add_trigger(ann, "copy", fire_on_derived=on_derived)
    async with settled(world, ann):
        await put(ann, "a.txt")
    rows = await history(ann, trigger)
    assert [row["reason"] for row in rows] == [None, reason]
    (version,) = (await ann.get(f"/api/repo-obj/{rows[1]['object_id']}")).json()["versions"]
    assert (version["actor_kind"], version["run_id"]) == ("workflow", rows[0]["run_id"])


async def test_triggers_that_feed_each_other_stop_after_one_round(world: World, ann: Caller) -> None:
    for slug, title in (("to-beta", "beta"), ("to-alpha", "alpha")):
        await publish(ann, slug, writes(title), object_id="string")
    first = await add_trigger(ann, "to-beta", match_prefix="documents/alpha", fire_on_derived=True)
    second = await add_trigger(ann, "to-alpha", match_prefix="documents/beta", fire_on_derived=True)
    async with settled(world, ann):
        await ann.post("/api/documents", {"title": "alpha"})
    assert (await reasons(ann, first), await reasons(ann, second)) == ([None, "loop"], [None])


async def test_no_trigger_fires_on_what_another_made_of_the_same_upload(world: World, ann: Caller) -> None:
    """Both fired on the upload, so it is in the ancestry of what either of them makes."""
    for slug in ("one", "two"):
        await publish(ann, slug, writes(slug), object_id="string")
    triggers = [await add_trigger(ann, slug, fire_on_derived=True) for slug in ("one", "two")]
    async with settled(world, ann):
        await put(ann, "a.txt")
    for trigger in triggers:
        assert sorted(map(str, await reasons(ann, trigger))) == ["None", "loop", "loop"]


async def test_a_chain_of_triggers_ends_at_the_depth_limit(world: World, ann: Caller) -> None:
    triggers = []
    for number in range(MAX_DEPTH + 3):
        await publish(ann, f"w{number}", writes(f"level {number + 1}"), object_id="string")
        prefix = f"documents/level-{number}"
        triggers.append(await add_trigger(ann, f"w{number}", match_prefix=prefix, fire_on_derived=True))
    async with settled(world, ann):
        await ann.post("/api/documents", {"title": "level 0"})
    assert [await reasons(ann, trigger) for trigger in triggers] == [
        *([None] for _ in range(MAX_DEPTH + 1)), ["loop_depth"], [],
    ]  # fmt: skip


async def test_the_output_of_a_resumed_run_does_not_fire_the_trigger_that_started_the_first(
    world: World, ann: Caller
) -> None:
    await publish(ann, "copy", writes("copy"), object_id="string")
    trigger = await add_trigger(ann, "copy", fire_on_derived=True)
    async with settled(world, ann):
        upload = (await put(ann, "a.txt"))["id"]
        (fire,) = await history(ann, trigger)
        started = await ann.post("/api/workflows/copy/run", {"input": {"object_id": upload}})
        resumed = started.json()["id"]
        sql = "UPDATE runs SET resumed_from = :before WHERE id = :id"
        await run_sql(world, sql, before=fire["run_id"], id=resumed)
    assert await reasons(ann, trigger) == [None, "loop", "loop"]


async def test_what_a_run_makes_that_no_trigger_started_can_fire_once(world: World, ann: Caller) -> None:
    await publish(ann, "copy", writes("copy"), object_id="string")
    trigger = await add_trigger(ann, "copy", fire_on_derived=True, match_prefix="documents/")
    async with settled(world, ann):
        await ann.post("/api/workflows/copy/run", {"input": {"object_id": "x"}})
    assert await reasons(ann, trigger) == [None, "loop"]


class Derivations:
    """Makes uploads derive from versions, as tools of the document pipeline do."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sources: list[str] = []
        self._announce = writing.announce
        monkeypatch.setattr(writing, "announce", self._derive)

    async def _derive(self, tx: Tx, row: ObjectRow, version: VersionRow, sources: Sequence[str]) -> None:
        for source in self.sources:
            await tx.run(
                "INSERT INTO object_derivations (object_id, number, source_id, source_number, checked_number, org_id,"
                " recipe, latest, created_at) VALUES (:id, :number, :source, 1, 1, :org_id, '', TRUE, :now)",
                id=row.id, number=version.number, source=source, org_id=row.org_id, now=row.created_at,
            )  # fmt: skip
        await self._announce(tx, row, version, sorted([*sources, *self.sources]))


async def test_ancestry_follows_derivations_without_runs(ann: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    await publish(ann, "file")
    derivations = Derivations(monkeypatch)
    trigger = await add_trigger(ann, match_prefix="a/", fire_on_derived=True)
    later = await add_trigger(ann, match_prefix="b/", fire_on_derived=True)
    plain = await add_trigger(ann, match_prefix="b/")
    upload, other = (await put(ann, "a/1"))["id"], (await put(ann, "x/1"))["id"]
    derivations.sources = [other, upload]
    made = (await put(ann, "b/1"))["id"]
    assert (await reasons(ann, trigger), await reasons(ann, later), await reasons(ann, plain)) == (
        [None], [None], ["derived"],
    )  # fmt: skip
    derivations.sources = [made]
    await put(ann, "a/2")
    derivations.sources = [other]
    await put(ann, "a/3")
    assert await reasons(ann, trigger) == [None, "loop", None], "the last one has no ancestor on which it fired"


async def test_ancestry_outlives_the_ancestors_and_the_history(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    await publish(ann, "file")
    derivations = Derivations(monkeypatch)
    trigger = await add_trigger(ann, match_prefix="a/", fire_on_derived=True)
    upload = (await put(ann, "a/1"))["id"]
    derivations.sources = [upload]
    made = (await put(ann, "b/1"))["id"]
    await ann.delete(f"/api/repo-obj/{upload}")
    async with world.db.maintenance(system()) as tx:
        await tx.run("DELETE FROM trigger_fires")
    derivations.sources = [made]
    await put(ann, "a/2")
    assert await reasons(ann, trigger) == ["loop"]


async def test_a_version_whose_ancestry_names_too_many_triggers_starts_nothing() -> None:
    few = ancestry._join(1, (f"t{number}" for number in range(MAX_ANCESTORS)))
    assert (few.depth, len(few.triggers)) == (1, MAX_ANCESTORS)
    many = ancestry._join(1, few.triggers, ("one more",))
    assert (many.depth, len(many.triggers)) == (MAX_DEPTH + 1, MAX_ANCESTORS)
    assert ancestry._join(1, ("a", "b"), ("b",)) == Ancestry(1, ("a", "b"))
