"""Workers of one executor that ask for a job at the same time share the transaction that claims for them."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Sequence

from teamspace.jobs.schemas import Job, JobClaim

log = logging.getLogger("teamspace.jobs")
_MOST = 32
"""Workers that share a transaction. All of them wait for it."""

Claimed = tuple[Job, JobClaim]
Waiter = asyncio.Future[Claimed | None]
ClaimMany = Callable[[int], Awaitable[Sequence[Claimed]]]
GiveBack = Callable[[JobClaim], Awaitable[object]]


class GatheredClaims:
    """While one transaction claims, those who ask meanwhile wait for the next one."""

    def __init__(self) -> None:
        self._waiting: dict[Hashable, deque[Waiter]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def take(self, key: Hashable, claim: ClaimMany, give_back: GiveBack) -> Claimed | None:
        """Return one of the jobs that `claim` finds for all who ask with this key; None if there are not enough.

        A job whose asker has left is given back.
        """
        waiter: Waiter = asyncio.get_running_loop().create_future()
        waiting = self._waiting.get(key)
        if waiting is not None:
            waiting.append(waiter)
        else:
            self._waiting[key] = deque([waiter])
            # Not in the request's own task: the others would be lost with it.
            self._start(self._serve(key, claim, give_back))
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled() and (taken := waiter.result()):
                self._start(_return(give_back, taken[1]))
            raise

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, key: Hashable, claim: ClaimMany, give_back: GiveBack) -> None:
        waiting = self._waiting[key]
        try:
            while waiting:
                served = [waiting.popleft() for _ in range(min(len(waiting), _MOST))]
                await self._claim_for(served, claim, give_back)
        finally:
            del self._waiting[key]

    async def _claim_for(self, served: Sequence[Waiter], claim: ClaimMany, give_back: GiveBack) -> None:
        present = [waiter for waiter in served if not waiter.done()]
        if not present:
            return
        try:
            claimed = deque(await claim(len(present)))
        except Exception as fault:
            for waiter in present:
                if not waiter.done():
                    waiter.set_exception(fault)
            return
        for waiter in present:
            if not waiter.done():
                waiter.set_result(claimed.popleft() if claimed else None)
        for _, left in claimed:
            await _return(give_back, left)


async def _return(give_back: GiveBack, claim: JobClaim) -> None:
    try:
        await give_back(claim)
    except Exception:
        log.exception("job %s could not be given back; it runs again when its lease expires", claim.job_id)
