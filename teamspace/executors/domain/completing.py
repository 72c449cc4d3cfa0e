"""Results of remote workers: those that one executor's workers send at the same time are one write."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from teamspace import jobs
from teamspace.core.db import AuditEntry, Db
from teamspace.core.principal import Principal
from teamspace.jobs import Asker, Gathering, JobClaim, Succeeded


class SentResult(NamedTuple):
    """A valid result, and the request that sent it."""

    who: Principal
    claim: JobClaim
    outcome: Succeeded


class Completions:
    def __init__(self) -> None:
        self._gathering = Gathering[SentResult, bool]()

    async def store(self, db: Db, queue: jobs.Queue, completion: SentResult) -> None:
        """Store a result, or raise StaleClaim."""
        who = completion.who
        if who.call.claim is not None:  # an idempotency key is taken in the write of its own request
            is_valid = completion.claim.key in await _store(db, queue, [completion])
        else:
            # All requests with a token are of the same caller.
            is_valid = await self._gathering.join(who.token_id, completion, partial(_store_all, db, queue))
        if not is_valid:
            raise jobs.stale_claim()


async def _store_all(db: Db, queue: jobs.Queue, batch: Sequence[Asker[SentResult, bool]]) -> None:
    """Store a batch; if that fails, each alone: one that cannot be stored must not cost the others."""
    if len({asker.item.claim.key for asker in batch}) == len(batch):
        try:
            return await _store_some(db, queue, batch)
        except Exception:
            if len(batch) == 1:
                raise
    # Also if a worker has sent two results for one claim: the first counts.
    for asker in batch:
        try:
            await _store_some(db, queue, [asker])
        except Exception as fault:
            if not asker.end.done():
                asker.end.set_exception(fault)


async def _store_some(db: Db, queue: jobs.Queue, batch: Sequence[Asker[SentResult, bool]]) -> None:
    valid = await _store(db, queue, [asker.item for asker in batch])
    for asker in batch:
        if not asker.end.done():
            asker.end.set_result(asker.item.claim.key in valid)


async def _store(db: Db, queue: jobs.Queue, completions: Sequence[SentResult]) -> set[tuple[str, int]]:
    """Store results of one caller, each with an audit row; return the keys of the valid claims."""
    async with db.write(completions[0].who, "job.complete") as tx:
        ended = await queue.finish_each(tx, [(completion.claim, completion.outcome) for completion in completions])
        tx.entries = [
            AuditEntry(completion.who, job.org_id, job.team_id, job.id)
            for completion in completions
            if (job := ended.get(completion.claim.key))
        ]
    return set(ended)
