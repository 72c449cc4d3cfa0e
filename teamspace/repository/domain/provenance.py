"""Sources, derived objects and processing of a document, limited to what the caller can see."""

from typing import Any

import msgspec

from teamspace.blobs import BlobMissing, BlobStore, DamagedBlob
from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.errors import NotFound
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.repository import access, store
from teamspace.repository.domain import finding, staleness, text_changes, texts
from teamspace.repository.schemas import (
    ChangedSource,
    DerivationRow,
    Derivations,
    DerivedPair,
    ObjectItem,
    ObjectRow,
    ProcessedObject,
    Processing,
    RelatedObject,
    TextChanges,
)

_MAX_COUNT = 200
_MAX_COMPARED = 3
"""Pairs of versions whose texts one request compares."""


class _Link(msgspec.Struct, frozen=True):
    """A derivation, and the object at its other end."""

    step: DerivationRow
    other: ObjectItem
    source_version: int
    """The newest version of the source."""
    derived_version: int
    changed: list[ChangedSource]
    is_wider: bool | None


class _Related(msgspec.Struct, frozen=True):
    sources: list[_Link]
    derived: list[_Link]


async def get_derivations(db: Db, who: Principal, object_id: str) -> Derivations:
    related = await _related(db, who, await finding.get_visible(db, who, object_id))
    return Derivations(
        sources=[RelatedObject(**_describe(link)) for link in related.sources],
        derived=[RelatedObject(**_describe(link)) for link in related.derived],
    )


async def get_processing(db: Db, files: BlobStore, who: Principal, object_id: str) -> Processing:
    row = await finding.get_visible(db, who, object_id)
    related = await _related(db, who, row)
    changes = await _compare(db, files, who, [*related.sources, *related.derived])
    runs = dict.fromkeys(link.step.run_id for link in (*related.sources, *related.derived) if link.step.run_id)
    return Processing(
        row.text_state, row.text_fault, sources=[_processed(link, changes) for link in related.sources],
        derived=[_processed(link, changes) for link in related.derived], runs=list(runs),
    )  # fmt: skip


async def _related(db: Db, who: Principal, row: ObjectRow) -> _Related:
    sources = await store.select_sources(db, row.id, _MAX_COUNT)
    derived = await store.select_derived(db, row.id, _MAX_COUNT)
    ids = {step.source_id for step in sources} | {step.object_id for step in derived}
    if not ids:
        return _Related([], [])
    fence = access.fence(who, P.FILES_READ, across_org=True)
    visible = {item.id: item for item in await store.select_by_ids(db, fence, sorted(ids))}
    lineage = await staleness.trace(
        db, who, {row.id, *(step.object_id for step in derived if step.object_id in visible)}
    )
    wider = await _find_wider(db, who, row, sources, derived, visible)
    return _Related(
        sources=[
            _Link(step, source, source.version, row.version, lineage.changed(row.id, source.id), wider.get(_ends(step)))
            for step in sources
            if (source := visible.get(step.source_id))
        ],
        derived=[
            _Link(step, item, row.version, item.version, lineage.changed(item.id), wider.get(_ends(step)))
            for step in derived
            if (item := visible.get(step.object_id))
        ],
    )


def _ends(step: DerivationRow) -> DerivedPair:
    return DerivedPair(step.object_id, step.source_id)


async def _find_wider(
    db: Db, who: Principal, row: ObjectRow, sources: list[DerivationRow], derived: list[DerivationRow],
    visible: dict[str, ObjectItem],
) -> dict[DerivedPair, bool]:  # fmt: skip
    """Return which derived objects more people can see than their source, as far as the caller manages one of both."""
    keys = {row.id: row.key} | {item.id: item.key for item in visible.values()}
    steps = [step for step in (*sources, *derived) if step.source_id in keys and step.object_id in keys]
    # Only the object beside which it stands limits who can see it, not a template that was used.
    beside = [_ends(step) for step in steps if keys[step.object_id].startswith(f"{keys[step.source_id]}.")]
    if not beside:
        return {}
    fence = access.fence(who, P.FILES_MANAGE)
    managed = {item.id for item in await store.select_by_ids(db, fence, sorted(keys))}
    asked = [pair for pair in beside if managed & {pair.derived_id, pair.source_id}]
    wider = set(await store.select_wider(db, asked)) if asked else set()
    return {pair: pair in wider for pair in asked}


_Pair = tuple[str, int, int]
"""A source, the version that something is derived from, and its newest version."""


async def _compare(db: Db, files: BlobStore, who: Principal, links: list[_Link]) -> dict[_Pair, TextChanges]:
    """Return what has changed in the sources of what is stale, for a few pairs of versions."""
    stale = (pair for link in links if (pair := _pair(link)))
    pairs = list(dict.fromkeys(stale))[:_MAX_COMPARED]
    found = {pair: await _compare_versions(db, files, who, *pair) for pair in pairs}
    return {pair: changes for pair, changes in found.items() if changes is not None}


async def _compare_versions(
    db: Db, files: BlobStore, who: Principal, source_id: str, before: int, after: int
) -> TextChanges | None:
    try:
        old = await texts.read_version_text(db, files, who, source_id, before)
        new = await texts.read_version_text(db, files, who, source_id, after)
    except (NotFound, BlobMissing, DamagedBlob):  # without a text, not extracted yet, deleted, or logged as damaged
        return None
    return await pools.TEXT.run(text_changes.compare, old.text, new.text)


def _pair(link: _Link) -> _Pair | None:
    """Return what to compare: the versions of the first changed source, on which the others depend."""
    first = link.changed[0] if link.changed else None
    return (first.id, first.source_version, first.current_source_version) if first else None


def _processed(link: _Link, changes: dict[_Pair, TextChanges]) -> ProcessedObject:
    pair = _pair(link)
    return ProcessedObject(**_describe(link), changes=changes.get(pair) if pair else None)


def _describe(link: _Link) -> dict[str, Any]:
    step, other = link.step, link.other
    return {
        "id": other.id, "key": other.key, "filename": other.filename, "version": step.number,
        "source_version": step.source_number, "current_source_version": link.source_version,
        "stale": bool(link.changed), "changed_sources": link.changed, "wider_than_source": link.is_wider,
        "edited": link.derived_version != step.number, "start": step.span_start, "end": step.span_end,
        "run_id": step.run_id, "step": step.step, "created_at": step.created_at,
    }  # fmt: skip
