"""Keep the references of a text, in the transaction that stores it."""

from collections.abc import Sequence

from teamspace.core import clock
from teamspace.core.db import Tx
from teamspace.core.ids import new_id
from teamspace.references import store
from teamspace.references.schemas import ReferenceRow, SourceKind, TextLink


async def put(tx: Tx, kind: SourceKind, source_id: str, org_id: str, links: Sequence[TextLink]) -> None:
    """Make these the references of a text. Those that stay keep their author and time.

    What is not in the company is ignored, and so is a text that refers to itself.
    """
    wanted = {link for link in links if (link.kind, link.id) != (kind, source_id)}
    stored = await store.select_of_source(tx, kind, source_id)
    if gone := [row.id for row in stored if TextLink(row.target_kind, row.target_id) not in wanted]:
        await store.delete(tx, gone)
    known = {TextLink(row.target_kind, row.target_id) for row in stored}
    if new := sorted(wanted - known):
        now = clock.stamp()
        rows = [
            ReferenceRow(new_id(), org_id, kind, source_id, link.kind, link.id, tx.who.user_id, now) for link in new
        ]
        await store.insert(tx, org_id, rows)


async def drop(tx: Tx, kind: SourceKind, source_id: str) -> None:
    """Delete the references of a text that is no longer there."""
    await store.delete_of_source(tx, kind, source_id)
