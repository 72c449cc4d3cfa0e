"""Write versions that are made from others: limited to who can see the source, and not written without need."""

import msgspec

from teamspace import blobs
from teamspace.blobs import StagedBlob
from teamspace.core.db import Db, Reads, Tx, retry_on_conflict
from teamspace.core.errors import NotFound
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.events import Change
from teamspace.jobs import Queue
from teamspace.repository import access, store
from teamspace.repository.domain import changes, finding, writing
from teamspace.repository.schemas import (
    DerivationRow,
    ObjectRow,
    VersionDraft,
    VersionRow,
    VersionSource,
    WriteCondition,
    WriteResult,
)


async def find_current(
    db: Reads, who: Principal, key: str, source: VersionSource, recipe: str
) -> tuple[ObjectRow, VersionRow] | None:
    """Return the derived object at a key, with its newest version, if making it again would change nothing.

    A version that someone has written by hand since is kept, as long as the source has not changed.
    """
    row = await store.get_fenced_at_key(db, access.fence(who, P.FILES_READ), who.team_id, key)
    if row is None or not await _is_current(db, row, source, recipe):
        return None
    return row, await finding.get_version(db, row, row.version)


async def _is_current(db: Reads, row: ObjectRow, source: VersionSource, recipe: str) -> bool:
    latest = await store.get_latest_derivation(db, row.id, source.object_id)
    return latest is not None and (latest.recipe, latest.checked_number) == (recipe, source.number)


async def get_latest_derivation(db: Reads, row: ObjectRow, source_id: str) -> DerivationRow | None:
    """Return how the newest derived version of an object that a fence has admitted was made from a source."""
    return await store.get_latest_derivation(db, row.id, source_id)


async def find_derived(
    db: Reads, who: Principal, object_id: str, run_id: str | None, step: str | None
) -> tuple[ObjectRow, VersionRow]:
    """Return an object with the version that a step of a run has derived; without one, with its newest version."""
    row = await finding.get_visible(db, who, object_id)
    number = await store.find_derived_number(db, row.id, run_id, step) if run_id and step else None
    return row, await finding.get_version(db, row, number or row.version)


async def put_derived(
    db: Db, queue: Queue, who: Principal, draft: VersionDraft, staged: StagedBlob, *, anew: bool = False
) -> WriteResult:
    """Make a stored blob the next version of a derived object of the caller's team.

    Nothing is written if someone else has just made the same, or if the newest version has these bytes already; that it
    is up to date is noted. With `anew` it is written in any case.
    """

    async def write() -> WriteResult:
        async with writing.write_key(db, who, draft, WriteCondition()) as (tx, existing):
            if existing is not None and not anew and (kept := await _keep(tx, existing, draft, staged)) is not None:
                return kept
            await blobs.reference_staged(tx, who.org_id, staged)
            row, version = await writing.insert_next_version(
                tx, queue, who, existing, await _limited(tx, who, existing, draft), writing.content_of(staged)
            )
            await writing.finish(tx, draft, existing, row, version)
            return WriteResult(row, version, existing is None or existing.removed)

    return await retry_on_conflict(write)


async def _keep(tx: Tx, existing: ObjectRow, draft: VersionDraft, staged: StagedBlob) -> WriteResult | None:
    """Return the version that makes writing needless, and note for which versions of the sources it is right."""
    source = draft.sources[0]
    latest = None if existing.removed else await store.get_latest_derivation(tx, existing.id, source.object_id)
    if latest is None or latest.recipe != draft.recipe:
        return None
    version = await finding.get_version(tx, existing, existing.version)
    if latest.checked_number != source.number:
        if latest.number != existing.version or version.blob != staged.digest:
            return None
        for each in draft.sources:
            await store.confirm_derivation(tx, existing.id, latest.number, each.object_id, each.number)
        await changes.record(tx, existing, Change.UPDATED)
    tx.action = "object.confirm"
    tx.target, tx.detail = existing.id, {"key": existing.key, "version": existing.version}
    return WriteResult(existing, version, created=False)


async def _limited(tx: Tx, who: Principal, existing: ObjectRow | None, draft: VersionDraft) -> VersionDraft:
    """Return the draft with a visibility that shows it to no one by role who cannot see the first source.

    The source cannot be hidden before the commit.
    """
    source = await store.get_shared(tx, access.fence(who, P.FILES_READ), draft.sources[0].object_id)
    if source is None:
        raise NotFound("repository.source_gone")
    if existing is None:
        return msgspec.structs.replace(draft, visibility=source.visibility)
    if existing.visibility == "team" and source.visibility != "team":
        await writing.check_can_manage(tx, who, existing)
        return msgspec.structs.replace(draft, visibility=source.visibility)
    return draft
