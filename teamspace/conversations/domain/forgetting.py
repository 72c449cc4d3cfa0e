"""Deletes what is kept elsewhere of the turns of deleted conversations: in jobs, streams, responses and steps of runs.

The transaction that deletes a conversation notes its answers, and each is forgotten in one of its own. Turns that run are
stopped first. If the server is stopped in between, the rest is still noted.
"""

import logging

from teamspace import events, jobs
from teamspace.conversations import store
from teamspace.conversations.schemas import TurnForgotten
from teamspace.core.db import BATCH, Db
from teamspace.core.principal import system

log = logging.getLogger("teamspace.conversations")


async def forget_deleted(db: Db, queue: jobs.Queue) -> None:
    """Forget all deleted turns that have ended, and stop the others; called periodically."""
    after = ""
    while turns := await store.select_deleted_turns(db, after, BATCH):
        for turn_id in turns:
            try:
                await _forget(db, queue, turn_id)
            except Exception:
                log.exception("forgetting the turn %s failed; it is retried", turn_id)
        after = turns[-1]


async def _forget(db: Db, queue: jobs.Queue, turn_id: str) -> None:
    async with db.maintenance(system()) as tx:
        if not await jobs.stop(tx, queue, turn_id):
            return
        await jobs.forget(tx, turn_id)
        await events.delete_stream(tx, turn_id)
        await tx.emit(TurnForgotten(turn_id))
        await store.drop_deleted_turn(tx, turn_id)
