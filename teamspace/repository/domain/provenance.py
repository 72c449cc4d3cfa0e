"""Where a document comes from, what was made of it, and what is being done with it: as far as the caller may see."""

from teamspace.core.db import Db, Reads
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.repository import access, store
from teamspace.repository.domain import finding
from teamspace.repository.schemas import DerivationRow, Derivations, ObjectItem, Processing, Relative

_MOST = 200


async def derivations(db: Db, who: Principal, object_id: str) -> Derivations:
    row = await finding.seen(db, who, object_id)
    return await _family(db, who, row.id)


async def processing(db: Db, who: Principal, object_id: str) -> Processing:
    row = await finding.seen(db, who, object_id)
    family = await _family(db, who, row.id)
    runs = dict.fromkeys(relative.run_id for relative in (*family.sources, *family.derived) if relative.run_id)
    return Processing(row.text_state, row.text_fault, family.sources, family.derived, list(runs))


async def _family(db: Reads, who: Principal, object_id: str) -> Derivations:
    sources = await store.select_sources(db, object_id, _MOST)
    derived = await store.select_derived(db, object_id, _MOST)
    ids = {step.source_id for step in sources} | {step.object_id for step in derived}
    fence = access.fence(who, P.FILES_READ, across_org=True)
    known = {item.id: item for item in await store.select_these(db, fence, sorted(ids))}
    return Derivations(
        sources=[_relative(known[step.source_id], step) for step in sources if step.source_id in known],
        derived=[_relative(known[step.object_id], step) for step in derived if step.object_id in known],
    )


def _relative(item: ObjectItem, step: DerivationRow) -> Relative:
    return Relative(
        id=item.id, key=item.key, filename=item.filename, version=step.number, source_version=step.source_number,
        run_id=step.run_id, step=step.step, created_at=step.created_at,
    )  # fmt: skip
