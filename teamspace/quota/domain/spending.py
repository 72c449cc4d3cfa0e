"""Spending under nested limits: reserve before the work, settle after it; reservations expire if neither follows.

What remains of a limit is its value minus the settled counters of its window minus the active reservations.
Counters are never decreased, so a crash between reserving and settling leaves nothing to repair.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from teamspace import events
from teamspace.core import clock, ids
from teamspace.core.db import Db, Reads, Tx, in_batches
from teamspace.core.errors import QuotaExceeded
from teamspace.core.ids import new_id
from teamspace.core.principal import system
from teamspace.events import Change
from teamspace.quota import store
from teamspace.quota.domain import windows
from teamspace.quota.schemas import (
    Dimension,
    Level,
    LimitState,
    OpenReservation,
    QuotaAccount,
    Spend,
    UsageCounter,
    Window,
)

TTL = 120
"""Seconds until a reservation expires if it is not renewed."""
USAGE = events.EventSubject("usage")
"""A team's usage has no row: everyone in the team is told that it changed."""
NOTHING = Spend(0, 0)
_KEEP_EXPIRED = clock.DAY
_LOST_AFTER = 10 * clock.MINUTE
"""A call that has not settled its reservation this long after it expired will not do so any more."""
_KEEP_DAYS = 400 * clock.DAY
"""The history shows a year, and the months and weeks in which it begins."""
_KEEP_COUNTERS = {Window.MINUTE: clock.DAY, Window.HOUR: 60 * clock.DAY, Window.DAY: _KEEP_DAYS}
"""How long the counters of short windows are kept; the others are kept forever."""
_KEEP_SETTLED = 90 * clock.DAY
_BATCH = 500
_PERSONAL = (str(Window.DAY), str(Window.MONTH))


async def reserve(
    tx: Tx, account: QuotaAccount, estimate: Spend, *, purpose: str, slot: bool = True, charged: bool = False,
    job_id: str | None = None, digest: str | None = None, ttl: float = TTL,
) -> str:  # fmt: skip
    """Reserve at every level and return the reservation's id, or raise QuotaExceeded.

    With `charged`, what was reserved counts as spent if the server dies before it settles. With `job_id`, already when
    the attempt of that job ends. With a `digest`, others can ask whether it is open (`is_asked`).
    """
    reserved = await try_reserve(
        tx, account, estimate, purpose=purpose, slot=slot, charged=charged, job_id=job_id, digest=digest, ttl=ttl
    )
    if isinstance(reserved, LimitState):
        raise refusal(reserved)
    return reserved


async def try_reserve(
    tx: Tx, account: QuotaAccount, estimate: Spend, *, purpose: str, slot: bool = True, charged: bool = False,
    job_id: str | None = None, digest: str | None = None, ttl: float = TTL,
) -> str | LimitState:  # fmt: skip
    """Like `reserve`, but return the exhausted limit instead of raising, for callers that can wait."""
    if limit := await find_exhausted(tx, account, estimate, slot=slot):
        return limit
    id = new_id()
    await store.insert_reservation(
        tx, id, account, purpose, estimate, slots=int(slot), charged=charged, job_id=job_id, digest=digest,
        now=clock.stamp(), ttl=ttl,
    )  # fmt: skip
    return id


async def find_exhausted(tx: Tx, account: QuotaAccount, estimate: Spend, *, slot: bool = True) -> LimitState | None:
    """Return the outermost limit that the estimate exceeds. The company's quota is locked until the commit."""
    await tx.lock("quota", account.org_id)
    limits = await _limits(tx, account)
    if any(limit.level is Level.TENANT and limit.most is not None for limit in limits):
        await tx.lock("quota", "")  # always after the company's lock, to avoid deadlocks
        limits = await _limits(tx, account)
    return _first_exceeded(limits, estimate, slot=slot)


def _first_exceeded(limits: Iterable[LimitState], estimate: Spend, *, slot: bool) -> LimitState | None:
    requested = {
        Dimension.REQUESTS: estimate.requests,
        Dimension.TOKENS: estimate.tokens,
        Dimension.CONCURRENCY: int(slot),
    }
    # A lowered limit can already be exceeded: that must not refuse a spend of 0 in its dimension.
    return next(
        (
            limit
            for limit in limits
            if limit.remaining is not None and requested[limit.dimension] > max(0, limit.remaining)
        ),
        None,
    )


async def preview(db: Reads, account: QuotaAccount, estimate: Spend) -> LimitState | None:
    """Return the outermost limit that the estimate exceeds now, without reserving or locking anything."""
    return _first_exceeded(await _limits(db, account), estimate, slot=True)


async def lock_companies(tx: Tx, org_ids: Iterable[str]) -> None:
    """Lock the quotas of several companies, in a fixed order to avoid deadlocks."""
    for org_id in sorted(set(org_ids)):
        await tx.lock("quota", org_id)


async def renew(tx: Tx, id: str, ttl: float = TTL) -> None:
    await store.extend_reservation(tx, id, ttl)


async def renew_many(tx: Tx, ids: Sequence[str], ttl: float = TTL) -> None:
    if ids:
        await store.extend_reservations(tx, ids, ttl)


async def settle(tx: Tx, id: str, spent: Spend | None) -> None:
    """Add the real figures to the counters, once, in the windows in which the reservation began; also after it expired.

    None stands for what was reserved.
    """
    entry = await store.settle_reservation(tx, id, spent, clock.stamp())
    if entry is None:
        return
    # Also if nothing was spent: a transaction that is refused because of this reservation must commit first.
    await tx.lock("quota", entry.org_id)
    spent = Spend(entry.requests, entry.tokens)
    if spent == NOTHING:
        return
    starts = windows.all_starts(clock.seconds(entry.began_at))
    counters = [
        UsageCounter(level, window, starts[window], subject)
        for level, subject, counted in (
            ("org", entry.org_id, starts),
            ("team", entry.team_id, starts),
            ("person", f"{entry.team_id}/{entry.user_id}", _PERSONAL),
        )
        for window in counted
    ]
    await store.add_used(tx, entry.org_id, counters, spent)
    await events.record(
        tx, USAGE.kind, entry.team_id, change=Change.UPDATED, org_id=entry.org_id, team_id=entry.team_id
    )


async def find_open(tx: Tx, job_ids: Sequence[str]) -> list[OpenReservation]:
    """Return what the handlers of jobs have reserved and not settled."""
    return await store.select_open(tx, job_ids) if job_ids else []


async def forget_asked(tx: Tx) -> None:
    """Forget which calls are awaited, when the only server starts: those of its last run were cut off."""
    await store.forget_asked(tx)


async def is_asked(tx: Tx, team_id: str, digest: str) -> bool:
    """Whether the team has reserved for a call with this digest, and waits for its answer."""
    return await store.is_asked(tx, team_id, digest)


async def charge(tx: Tx, open: Iterable[OpenReservation]) -> None:
    """Settle reservations with what they reserved: their calls were cut off, and have had their cost."""
    for row in open:
        await settle(tx, row.id, None)


async def release(tx: Tx, id: str) -> None:
    """Settle a reservation with nothing spent."""
    await settle(tx, id, NOTHING)


async def spend(tx: Tx, account: QuotaAccount, spent: Spend, *, purpose: str) -> None:
    """Reserve and settle in one commit, without a slot, for a spend that is known in advance."""
    await settle(tx, await reserve(tx, account, spent, purpose=purpose, slot=False), spent)


def resets_at(limit: LimitState) -> str | None:
    """Return when the window of a limit ends; None if it has none: slots are free when running requests end."""
    return None if limit.dimension is Dimension.CONCURRENCY else windows.end_of(limit.per)


def refusal(limit: LimitState) -> QuotaExceeded:
    end = resets_at(limit)
    return _refusal(limit, end).with_fields(dimension=limit.dimension, level=limit.level, resets_at=end)


def _refusal(limit: LimitState, resets_at: str | None) -> QuotaExceeded:
    dimension, level, most, used = limit.dimension, limit.level, limit.most or 0, limit.used + limit.reserved
    if limit.dimension is Dimension.CONCURRENCY and most:
        return QuotaExceeded("quota.slots", 1, limit=most, dimension=dimension, level=level)
    if resets_at is None:
        return QuotaExceeded("quota.used_up", None, dimension=dimension, level=level, used=used, limit=most)
    wait = max(1, round(clock.seconds(resets_at) - clock.now()))
    return QuotaExceeded(
        "quota.used_up_until", wait, dimension=dimension, level=level, used=used, limit=most, resets_at=resets_at
    )


async def tidy(db: Db) -> None:
    """Charge lost reservations; delete expired ones, old counters of short windows, and rows settled long ago."""
    while await _charge_lost(db) == _BATCH:
        pass
    await in_batches(db, partial(store.delete_expired_reservations, ago=_KEEP_EXPIRED))
    for window, seconds in _KEEP_COUNTERS.items():
        await in_batches(db, partial(store.delete_used, per=window, before=clock.ago(seconds)))
    for source in (store.STORED_DAYS, store.TRAFFIC_DAYS):
        await in_batches(db, partial(store.delete_days, table=source.table, before=clock.ago(_KEEP_DAYS)[:10]))
    while await _close_batch(db) == _BATCH:
        pass


async def _charge_lost(db: Db) -> int:
    """Settle reservations of dead servers with what they reserved; one that is settled meanwhile stays as it is."""
    lost = await store.select_lost(db, _LOST_AFTER, _BATCH)
    async with db.maintenance(system()) as tx:
        await charge(tx, lost)
    return len(lost)


async def _close_batch(db: Db) -> int:
    """Delete a batch of old ledger rows, keeping their sum per company and team, so the counters can still be checked."""
    async with db.maintenance(system()) as tx:
        old = await store.take_old_settled(tx, ids.lower_bound(clock.now() - _KEEP_SETTLED), _BATCH)
        sums: dict[tuple[str, str, str], Spend] = {}
        for entry in old:
            for level, subject in ((Level.ORG, entry.org_id), (Level.TEAM, entry.team_id)):
                counter = (entry.org_id, str(level), subject)
                before = sums.get(counter, NOTHING)
                sums[counter] = Spend(before.requests + entry.requests, before.tokens + entry.tokens)
        for (org_id, at, subject), spent in sorted(sums.items(), key=lambda item: item[0]):
            await store.add_used(tx, org_id, [UsageCounter(at, store.CLOSED, "", subject)], spent)
    return len(old)


async def _limits(db: Reads, account: QuotaAccount) -> list[LimitState]:
    """Return the account's limits, outermost first."""
    levels = list(Level)
    rows = await store.select_spending_limits(db, account, windows.all_starts())
    return sorted(rows, key=lambda row: (levels.index(row.level), row.dimension))
