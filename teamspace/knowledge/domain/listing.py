"""Keep the index of names by audience complete.

A document can have 100 names and 500 grantees. What changes the entries of all of them, such as extracting it or taking it out
of the trash, only marks it; its entries are written and deleted here, for a few audiences in each transaction.
"""

from collections.abc import Iterable

from teamspace.core.db import Db
from teamspace.core.principal import system
from teamspace.knowledge import store

_AUDIENCES = 20
"""Of one transaction, each with up to 100 names."""
_DOCUMENTS = 100


async def complete_all(db: Db) -> None:
    """Complete the entries of all documents that are marked; called periodically."""
    while ids := await store.select_unlisted(db, _DOCUMENTS):
        await complete(db, ids)


async def complete(db: Db, object_ids: Iterable[str]) -> None:
    for object_id in object_ids:
        while await _complete_some(db, object_id):
            pass


async def _complete_some(db: Db, object_id: str) -> bool:
    """Make the entries of a document right for its next audiences; return whether there may be more."""
    async with db.maintenance(system()) as tx:
        after = await store.lock_unlisted(tx, object_id)
        if after is None:
            return False
        right = await store.select_audiences(tx, object_id, after, _AUDIENCES)
        listed = await store.select_listed_audiences(tx, object_id, after, _AUDIENCES)
        audiences = sorted({*right, *listed})[:_AUDIENCES]
        kept = [audience for audience in audiences if audience in right]
        await store.delete_entries(tx, object_id, audiences, kept)
        await store.insert_entries(tx, object_id, kept)
        if len(audiences) < _AUDIENCES:
            await store.delete_unlisted(tx, object_id)
            return False
        await store.set_listed(tx, object_id, audiences[-1])
    return True
