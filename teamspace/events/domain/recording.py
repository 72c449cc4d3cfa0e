"""Record what changed, in the transaction that changes it."""

from collections.abc import Sequence

from teamspace.core import clock
from teamspace.core.db import Tx
from teamspace.events import store
from teamspace.events.schemas import Change, ChangedSubject

TOPIC = "events"
"""Notified after every commit with events."""


async def record(
    tx: Tx,
    kind: str,
    *subject_ids: str,
    change: Change,
    org_id: str,
    team_id: str | None = None,
    readers: Sequence[str] = (),
    path: str | None = None,
) -> None:
    """Record that things changed. The rows are written at the commit.

    `readers` are those who could read it until now, if some of them cannot any more (see `visibility`); `path` is the
    key of such a thing, if tokens can be limited to a prefix of it.
    """
    if not subject_ids:
        return
    await store.insert(
        tx, kind, subject_ids, change, org_id=org_id, team_id=team_id, readers=readers, path=path, now=clock.stamp()
    )
    tx.notify(TOPIC)


async def record_many(tx: Tx, kind: str, changed: Sequence[ChangedSubject], *, change: Change) -> None:
    """Record that things of one kind changed, in any number of teams, with one statement."""
    if len(changed) == 1:
        # The same statement as of `record`, so that PostgreSQL gets it with others of the transaction.
        await record(tx, kind, changed[0].id, change=change, org_id=changed[0].org_id, team_id=changed[0].team_id)
    elif changed:
        await store.insert_many(tx, kind, changed, change, now=clock.stamp())
        tx.notify(TOPIC)
