"""Record changes of objects in the event log."""

from collections.abc import Sequence

from teamspace import events
from teamspace.core.db import Tx
from teamspace.events import Change, Readers
from teamspace.repository import store
from teamspace.repository.schemas import ObjectRow, TrashedObject, Visibility


async def record(tx: Tx, row: ObjectRow | TrashedObject, change: Change, readers: Sequence[str] = ()) -> None:
    """Record a change; `readers` are those who may have lost the object by it."""
    await events.record(
        tx, store.KIND, row.id, change=change, org_id=row.org_id, team_id=row.team_id, readers=readers,
        path=row.key if readers else None,
    )  # fmt: skip


async def record_removal(tx: Tx, row: ObjectRow, change: Change) -> None:
    """Record a change after which perhaps no one can read the object; call it before the rows are changed."""
    await record(tx, row, change, [] if row.removed else await store.select_readers(tx, row.id))


async def record_visibility(tx: Tx, row: ObjectRow, visibility: Visibility | None, change: Change) -> None:
    """Record a change that sets the visibility, or leaves it if None."""
    is_withdrawn = row.visibility == "team" and visibility == "private"
    await record(tx, row, change, [Readers.role(row.team_id), Readers.org(row.org_id)] if is_withdrawn else [])
