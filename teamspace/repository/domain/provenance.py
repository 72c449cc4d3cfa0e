"""Sources, derived objects and processing of a document, limited to what the caller can see."""

from teamspace.core.db import Db, Reads
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.repository import access, store
from teamspace.repository.domain import finding
from teamspace.repository.schemas import DerivationRow, Derivations, ObjectItem, Processing, RelatedObject

_MAX_COUNT = 200


async def get_derivations(db: Db, who: Principal, object_id: str) -> Derivations:
    row = await finding.get_visible(db, who, object_id)
    return await _related(db, who, row.id)


async def get_processing(db: Db, who: Principal, object_id: str) -> Processing:
    row = await finding.get_visible(db, who, object_id)
    related = await _related(db, who, row.id)
    runs = dict.fromkeys(item.run_id for item in (*related.sources, *related.derived) if item.run_id)
    return Processing(row.text_state, row.text_fault, related.sources, related.derived, list(runs))


async def _related(db: Reads, who: Principal, object_id: str) -> Derivations:
    sources = await store.select_sources(db, object_id, _MAX_COUNT)
    derived = await store.select_derived(db, object_id, _MAX_COUNT)
    ids = {step.source_id for step in sources} | {step.object_id for step in derived}
    fence = access.fence(who, P.FILES_READ, across_org=True)
    visible = {item.id: item for item in await store.select_by_ids(db, fence, sorted(ids))}
    return Derivations(
        sources=[_to_related(visible[step.source_id], step) for step in sources if step.source_id in visible],
        derived=[_to_related(visible[step.object_id], step) for step in derived if step.object_id in visible],
    )


def _to_related(item: ObjectItem, step: DerivationRow) -> RelatedObject:
    return RelatedObject(
        id=item.id, key=item.key, filename=item.filename, version=step.number, source_version=step.source_number,
        run_id=step.run_id, step=step.step, created_at=step.created_at,
    )  # fmt: skip
