"""Requests of the same kind that come at the same time share a transaction."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from teamspace.jobs.schemas import Job, JobClaim

log = logging.getLogger("teamspace.jobs")
_MOST = 32
"""Requests that share a transaction. All of them wait for it."""

Item = TypeVar("Item")
End = TypeVar("End")
Claimed = tuple[Job, JobClaim]
ClaimMany = Callable[[int], Awaitable[Sequence[Claimed]]]
GiveBack = Callable[[JobClaim], Awaitable[object]]


class Asker(NamedTuple, Generic[Item, End]):
    """Someone who waits, and what they ask for."""

    item: Item
    end: asyncio.Future[End]


class Gathering(Generic[Item, End]):
    """While one batch is served, those who ask meanwhile wait for the next one."""

    def __init__(self) -> None:
        self._waiting: dict[Hashable, deque[Asker[Item, End]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def join(
        self, key: Hashable, item: Item, serve: Callable[[Sequence[Asker[Item, End]]], Awaitable[None]]
    ) -> asyncio.Future[End]:
        """Ask together with all others of this key; `serve` gives each of a batch its end, or raises for all of them.

        Those who have left are in no batch, unless they leave while it is served.
        """
        asker = Asker[Item, End](item, asyncio.get_running_loop().create_future())
        waiting = self._waiting.get(key)
        if waiting is not None:
            waiting.append(asker)
        else:
            self._waiting[key] = deque([asker])
            # Not in the task of the one who asks: the others would be lost with it.
            self.start(self._run(key, serve))
        return asker.end

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run in the background."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, key: Hashable, serve: Callable[[Sequence[Asker[Item, End]]], Awaitable[None]]) -> None:
        waiting = self._waiting[key]
        try:
            while waiting:
                batch = [waiting.popleft() for _ in range(min(len(waiting), _MOST))]
                if present := [asker for asker in batch if not asker.end.done()]:
                    await self._serve(present, serve)
        finally:
            del self._waiting[key]

    async def _serve(
        self, batch: Sequence[Asker[Item, End]], serve: Callable[[Sequence[Asker[Item, End]]], Awaitable[None]]
    ) -> None:
        try:
            await serve(batch)
        except Exception as fault:
            for asker in batch:
                if not asker.end.done():
                    asker.end.set_exception(fault)


class GatheredClaims:
    """Claims of workers of one executor."""

    def __init__(self) -> None:
        self._gathering = Gathering[None, Claimed | None]()

    async def take(self, key: Hashable, claim: ClaimMany, give_back: GiveBack) -> Claimed | None:
        """Return one of the jobs that `claim` finds for all who ask with this key; None if there are not enough.

        A job whose asker has left is given back.
        """

        async def serve(batch: Sequence[Asker[None, Claimed | None]]) -> None:
            claimed = deque(await claim(len(batch)))
            for asker in batch:
                if not asker.end.done():
                    asker.end.set_result(claimed.popleft() if claimed else None)
            for _, left in claimed:
                await _return(give_back, left)

        end = self._gathering.join(key, None, serve)
        try:
            return await end
        except asyncio.CancelledError:
            if end.done() and not end.cancelled() and (taken := end.result()):
                self._gathering.start(_return(give_back, taken[1]))
            raise


async def _return(give_back: GiveBack, claim: JobClaim) -> None:
    try:
        await give_back(claim)
    except Exception:
        log.exception("job %s could not be given back; it runs again when its lease expires", claim.job_id)
