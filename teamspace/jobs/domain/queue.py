"""The queue: a job goes in with whatever transaction asks for it, is held under a lease, and ends exactly once.

Every attempt has a number and a secret of its own. Whoever comes late, after the lease is over or the job went to
somebody else, finds that neither fits any more: a lapsed attempt never lands.
"""

import asyncio
import logging
import random
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from teamspace import quota, tenancy
from teamspace.core import crypto
from teamspace.core.db import Db, Tx
from teamspace.core.errors import QuotaExceeded, StaleClaim
from teamspace.core.ids import new_id
from teamspace.core.limits import Wake
from teamspace.core.principal import Principal, system
from teamspace.jobs import store
from teamspace.jobs.domain import lanes
from teamspace.jobs.domain.kinds import Kinds
from teamspace.jobs.domain.places import kind_of, local_place
from teamspace.jobs.domain.slots import SlotsByKind
from teamspace.jobs.schemas import NORMAL, Block, Claim, Claimed, Fault, Landed, Lane, Opening, State, Turn

log = logging.getLogger("teamspace.jobs")
Still = Callable[[Tx], Awaitable[bool]]
LEASE = 60
"""Of those who work elsewhere: networks pause."""
MOST_LAPSES = 3
_LONGEST_DELAY = 15 * 60
_AGAIN_FOR_A_SLOT = 1
_AGAIN = 1.0
_TOGETHER = 0.01
"""Seconds between two promotions: what is stirred meanwhile is promoted with one."""
_LANES = 50
"""Promoted in one transaction: others of these lanes wait for it."""


class Queue:
    """Knows the kinds, whom to wake, and the lanes in which something has changed.

    Lanes are promoted after the commit that changed them, many at a time: putting a job in is one insert.
    Should the server die in between, the next look at all lanes finds it.
    """

    def __init__(self, kinds: Kinds, wake: Wake, *, hosted: bool = False) -> None:
        self.kinds = kinds
        self.wake = wake
        self._hosted = hosted
        self._stirred: set[Lane] = set()
        self._news = asyncio.Event()

    # Promoting

    async def run(self, db: Db) -> None:
        """Promotes whatever is stirred, until it is cancelled."""
        while True:
            await self._news.wait()
            try:
                async with self._promoted(db):
                    pass
                await asyncio.sleep(_TOGETHER)
            except Exception:
                log.exception("promoting jobs failed; it is tried again")
                await asyncio.sleep(_AGAIN)

    async def promote(self, db: Db) -> None:
        while self._stirred:
            async with self._promoted(db):
                pass

    @asynccontextmanager
    async def _promoted(self, db: Db) -> AsyncIterator[Tx]:
        """A transaction that begins with promoting what is stirred. Losing it loses a turn, and no job."""
        stirred, self._stirred = first(self._stirred, _LANES)
        self._news.clear()
        try:
            async with db.upkeep(system(), lasting=False) as tx:
                places = await lanes.promote(tx, stirred)
                yield tx
        except BaseException:
            self.stir(stirred)
            raise
        self.stir(())
        self.tell(places)

    async def promote_waiting(self, db: Db, org_id: str | None = None, kinds: Iterable[str] | None = None) -> None:
        """Every lane in which somebody waits."""
        self.stir(await lanes.waiting(db, org_id, kinds))
        await self.promote(db)

    def stir(self, stirred: Iterable[Lane]) -> None:
        """Something has left these lanes, or come into them."""
        self._stirred.update(stirred)
        if self._stirred:
            self._news.set()

    # Into it

    async def enqueue(
        self, tx: Tx, who: Principal, kind: str, input: msgspec.Struct, *, place: str | None = None,
        model: str | None = None, priority: int = NORMAL, run_at: str | None = None, retry_of: str | None = None,
    ) -> str:  # fmt: skip
        """Commits with everything else in `tx`, or not at all; the job's id."""
        id, lane = new_id(), Lane(who.org_id, who.team_id, kind)
        await store.insert(
            tx, id, lane, who.user_id, place=place or local_place(kind), model=model, priority=priority, run_at=run_at,
            attempts=self.kinds[kind].row.attempts, input=msgspec.json.encode(input).decode(), retry_of=retry_of,
        )  # fmt: skip
        self._stir(tx, lane)
        return id

    # Out of it

    async def claim(
        self, db: Db, places: Sequence[str], *, count: int, executor_id: str, org_id: str | None = None,
        models: Sequence[str] | None = None, slots: SlotsByKind | None = None, still: Still | None = None,
        lease: float = LEASE,
    ) -> list[tuple[Claimed, Claim]]:  # fmt: skip
        """Up to `count` jobs whose turn it is. What a quota has no room for is parked until it has.

        With `models`, those that name another are passed over. Each holds one of `slots`, where they are given.
        `still` is asked in the transaction whether there is anybody left to claim for.
        """
        openings = slots.openings(places, count) if slots else [Opening(place, count) for place in places]
        if not openings:
            return []
        secret = secrets.token_urlsafe(16)
        turns: list[Turn] = []
        claimed: list[tuple[Claimed, Claim]] = []
        try:
            async with self._promoted(db) as tx:
                if (self._hosted and await tenancy.is_suspended(tx)) or (still and not await still(tx)):
                    return []
                waiting = await store.select_admitted(tx, openings, org_id=org_id, models=models)
                turns = slots.take(waiting, count) if slots else waiting[:count]
                admitted = await self._taken(tx, turns, executor_id, crypto.digest(secret), lease)
            claimed = [(job, Claim(job.id, job.attempt, secret, executor_id, lease)) for job in admitted]
        finally:
            if slots:
                begun = {job.id for job, _ in claimed}
                for turn in turns:
                    if turn.id not in begun:
                        slots.of(turn.kind).leave(turn.org_id)
        return claimed

    async def _taken(
        self, tx: Tx, turns: Sequence[Turn], executor_id: str, claim_hash: str, lease: float
    ) -> list[Claimed]:
        if not turns:
            return []
        ids = [turn.id for turn in turns]
        taken = await store.take(tx, ids, executor_id=executor_id, claim_hash=claim_hash, lease=lease)
        if len(taken) > 1:
            await quota.open_books(tx, [job.org_id for job in taken if self.kinds[job.kind].estimate])
        in_turn = sorted(taken, key=lambda job: job.rank)  # a database returns rows in any order
        return [job for job in in_turn if await self._within_quota(tx, job)]

    async def _within_quota(self, tx: Tx, job: Claimed) -> bool:
        kind = self.kinds[job.kind]
        if kind.estimate is None:
            return True
        account = quota.Account(job.org_id, job.team_id, job.user_id)
        estimate = kind.estimate(msgspec.json.decode(job.input, type=kind.input))
        reserved = await quota.reserve(tx, account, estimate, purpose=job.kind)
        if isinstance(reserved, quota.Bound):
            await self._parked(tx, job.id, quota.refusal(reserved))
            return False
        await store.set_hold(tx, job.id, reserved)
        return True

    async def park(self, tx: Tx, claim: Claim, refusal: QuotaExceeded) -> None:
        """What met the quota while it was worked on waits until there is room, as if it had not been claimed."""
        held = await store.get_held(tx, claim, crypto.digest(claim.secret))
        if held is None:
            raise stale()
        if held.hold_id:
            await quota.release(tx, held.hold_id)
            await self.free_slots(tx, [held.lane])
        await self._parked(tx, held.id, refusal)

    async def _parked(self, tx: Tx, job_id: str, refusal: QuotaExceeded) -> None:
        dimension, level, until = (refusal.extra[name] for name in ("dimension", "level", "resets_at"))
        # A slot may be free at any moment; where no window ends, the limit may still be raised by somebody.
        seconds = _AGAIN_FOR_A_SLOT if dimension == quota.Dimension.CONCURRENCY else _LONGEST_DELAY
        await store.park(tx, job_id, Block(dimension, level, until), until=until, seconds=seconds)

    # In somebody's hands

    async def extend(
        self, db: Db, claim: Claim, *, progress: float | None = None, message: str | None = None
    ) -> Claimed:
        """A sign of life: the lease and what is reserved go on."""
        permille = None if progress is None else round(progress * 1000)
        async with db.upkeep(system(), lasting=False) as tx:
            held = await store.extend(
                tx, claim, crypto.digest(claim.secret), lease=claim.lease, progress=permille, message=message
            )
            if held is None:
                raise stale()
            if held.hold_id:
                await quota.renew(tx, held.hold_id)
        return held

    async def complete(self, tx: Tx, claim: Claim, given: Any) -> Landed:
        """The result lands, and what it cost is settled, in one commit."""
        digest = crypto.digest(claim.secret)
        held = await store.get_held(tx, claim, digest)
        if held is None:
            return await self._landed_before(tx, claim, digest, given)
        kind = self.kinds[held.kind]
        result = kind.read_result(msgspec.json.decode(held.input, type=kind.input), given)
        landed = await store.succeed(tx, claim, digest, _text(result))
        if landed is None:
            raise stale()
        if landed.hold_id and kind.spent:
            await quota.settle(tx, landed.hold_id, kind.spent(result))
            await self.free_slots(tx, [landed.lane])
        self._stir(tx, landed.lane)
        return landed

    async def land(self, db: Db, ended: Sequence[tuple[Claim, msgspec.Struct]]) -> set[str]:
        """Many at once, for results that were made here and need no judging; those that were still held."""
        async with db.upkeep(system()) as tx:
            rows = [(claim, crypto.digest(claim.secret), _text(result)) for claim, result in ended]
            landed = await store.succeed_all(tx, rows)
            results = {claim.job_id: result for claim, result in ended}
            await quota.open_books(tx, [job.org_id for job in landed if job.hold_id])
            for job in landed:
                spent = self.kinds[job.kind].spent
                if job.hold_id and spent:
                    await quota.settle(tx, job.hold_id, spent(results[job.id]))
            await self.free_slots(tx, [job.lane for job in landed if job.hold_id])
            self._stir(tx, *(job.lane for job in landed))
        return results.keys() & {job.id for job in landed}

    async def _landed_before(self, tx: Tx, claim: Claim, digest: str, given: Any) -> Landed:
        """The same result again is no fault: its first answer was lost on the way."""
        name = await store.get_kind(tx, claim.job_id)
        kind = self.kinds.get(name) if name else None
        if kind is not None:
            with suppress(msgspec.ValidationError):
                result = _text(msgspec.convert(given, kind.result))
                if landed := await store.get_landed(tx, claim, digest, result):
                    return landed
        raise stale()

    async def fail(self, tx: Tx, claim: Claim, fault: Fault) -> Landed:
        """Tried again later, each time after a longer while, until its attempts are used up."""
        digest = crypto.digest(claim.secret)
        held = await store.get_held(tx, claim, digest)
        if held is None:
            raise stale()
        failures = held.attempt - held.lapses
        if fault.retryable and failures < held.attempts:
            landed = await store.postpone(tx, claim, digest, fault, delay(failures))
            return await self._released(tx, held, landed)
        return await self._ended(tx, held, await store.end(tx, claim, digest, State.FAILED, fault), fault)

    async def drop(self, tx: Tx, claim: Claim, fault: Fault) -> Landed:
        """What it was about is gone: it ends as cancelled."""
        digest = crypto.digest(claim.secret)
        held = await store.get_held(tx, claim, digest)
        if held is None:
            raise stale()
        return await self._ended(tx, held, await store.end(tx, claim, digest, State.CANCELLED, fault), fault)

    async def _ended(self, tx: Tx, held: Claimed, landed: Landed | None, fault: Fault) -> Landed:
        await self.tell_failure(tx, held.id, held.kind, fault.code)
        return await self._released(tx, held, landed)

    async def _released(self, tx: Tx, held: Claimed, landed: Landed | None) -> Landed:
        """With what was reserved for it."""
        if landed is None:
            raise stale()
        if held.hold_id:
            await quota.release(tx, held.hold_id)
            await self.free_slots(tx, [landed.lane])
        self._stir(tx, landed.lane)
        return landed

    async def tell_failure(self, tx: Tx, job_id: str, kind_name: str, reason: str) -> None:
        """There will be no result: whoever waits for one hears of it in the same commit."""
        kind = self.kinds[kind_name]
        if kind.on_failure is not None and (asked := await store.get_asked(tx, job_id)):
            await kind.on_failure(tx, asked.user_id, msgspec.json.decode(asked.input, type=kind.input), reason)

    async def put_back(self, tx: Tx, claim: Claim) -> bool:
        """Work that was cut off, or never reached its worker: it waits again, and neither attempt nor lapse is counted."""
        digest = crypto.digest(claim.secret)
        held = await store.get_held(tx, claim, digest)
        landed = await store.put_back(tx, claim, digest)
        if held is None or landed is None:
            return False
        if held.hold_id:
            await quota.release(tx, held.hold_id)
            await self.free_slots(tx, [landed.lane])
        self._stir(tx, landed.lane)
        return True

    async def give_back(self, tx: Tx, executor_id: str) -> None:
        """An executor is no more: what it holds goes to others, and nothing it still sends will land."""
        metered = await store.select_metered(tx, executor_id)
        await quota.open_books(tx, [job.org_id for job in metered])
        returned = await store.give_back(tx, executor_id)
        for job in metered:
            await quota.release(tx, job.hold_id or "")
        await self.free_slots(tx, [job.lane for job in metered])
        self._stir(tx, *(job.lane for job in returned))

    async def move(self, tx: Tx, place: str, target: str, *, but_of: Sequence[str]) -> None:
        """What waits at a place is offered at another, except for the jobs of some companies."""
        moved = await store.move(tx, place, target, but_of)
        if moved:
            self._stir(tx, *moved)
            tx.after_commit(partial(self.tell, [target]))

    async def free_slots(self, tx: Tx, lanes: Sequence[Lane]) -> None:
        """Slots that jobs of these lanes held are free: whoever was parked for one, the first in turn, may go.

        With the commit that frees them, and not later: else whoever has all slots of a company takes each again
        before anybody else has looked.
        """
        for (org_id, team_id), count in sorted(Counter((lane.org_id, lane.team_id) for lane in lanes).items()):
            places = await store.unpark(tx, org_id, team_id, count=count, within=_AGAIN_FOR_A_SLOT)
            tx.after_commit(partial(self.tell, places))

    async def cancel(self, tx: Tx, job_id: str) -> bool:
        """False when it is not waiting any more."""
        cancelled = await store.cancel(tx, job_id)
        if cancelled is None:
            return False
        await self.tell_failure(tx, job_id, cancelled.kind, "cancelled")
        self._stir(tx, cancelled.lane)
        return True

    # Whoever asks for work

    async def seen(self, db: Db, places: Iterable[str], org_id: str) -> None:
        """Somebody serves these places; what waited for that is let in."""
        kinds = frozenset(kind_of(place) for place in places)
        async with db.upkeep(system()) as tx:
            for place in places:
                await store.put_place(tx, place, org_id, kind_of(place))
        await self.promote_waiting(db, org_id or None, kinds)

    def tell(self, places: Iterable[str]) -> None:
        for place in places:
            self.wake.tell(place)

    def _stir(self, tx: Tx, *stirred: Lane) -> None:
        tx.after_commit(partial(self.stir, stirred))


def first(lanes: set[Lane], most: int) -> tuple[list[Lane], set[Lane]]:
    """Some of them, and the rest."""
    some = list(islice(lanes, most))
    return some, lanes.difference(some)


def parse(token: str, executor_id: str) -> Claim:
    """A claim token as a worker of this executor shows it; anything else is one that does not hold."""
    id, _, rest = token.partition(".")
    attempt, _, secret = rest.partition(".")
    if not (id and secret and attempt.isascii() and attempt.isdigit() and len(attempt) < 10):
        raise stale()
    return Claim(id, int(attempt), secret, executor_id)


def stale() -> StaleClaim:
    return StaleClaim("The job is not held with this claim token any more: drop it, and claim another.")


def delay(failures: int) -> float:
    """Seconds until the next attempt: doubled each time, and spread so that many do not come at once."""
    return min(_LONGEST_DELAY, 2.0**failures) * random.uniform(0.5, 1)


def _text(value: msgspec.Struct) -> str:
    return msgspec.json.encode(value).decode()
