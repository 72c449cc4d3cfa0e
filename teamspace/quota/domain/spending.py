"""Spending under nested limits: reserve before the work, settle after it; reservations expire if neither follows.

What remains of a limit is its value minus the settled counters of its window minus the active reservations.
Counters are never decreased, so a crash between reserving and settling leaves nothing to repair.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import TypeVar

from teamspace import events
from teamspace.core import clock, ids
from teamspace.core.db import Db, Reads, Tx, in_batches
from teamspace.core.errors import QuotaExceeded
from teamspace.core.ids import new_id
from teamspace.core.principal import system
from teamspace.events import Change
from teamspace.quota import store
from teamspace.quota.domain import windows
from teamspace.quota.domain.shards import shard_of
from teamspace.quota.domain.spending_room import SpendingRoom
from teamspace.quota.schemas import (
    Dimension,
    Level,
    LimitState,
    NewReservation,
    QuotaAccount,
    Reservation,
    SettledSpend,
    Settlement,
    Spend,
    UsageCounter,
    UsedAmount,
    Window,
)

Entry = TypeVar("Entry", Reservation, SettledSpend)

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
_CHARGED_AT_ONCE = 50
"""Each adds to twenty counters."""
_PERSONAL = (str(Window.DAY), str(Window.MONTH))


async def reserve(
    tx: Tx, account: QuotaAccount, estimate: Spend, *, purpose: str, slot: bool = True, charged: bool = False,
    job_id: str | None = None, digest: str | None = None, ttl: float = TTL,
) -> str:  # fmt: skip
    """Reserve at every level and return the reservation's id, or raise QuotaExceeded."""
    new = NewReservation(
        new_id(), account, estimate, purpose, slots=int(slot), charged=charged, job_id=job_id, digest=digest
    )
    refused = await reserve_many(tx, [new], ttl=ttl)
    if limit := refused.get(new.id):
        raise refusal(limit)
    return new.id


async def reserve_many(tx: Tx, wanted: Sequence[NewReservation], *, ttl: float = TTL) -> dict[str, LimitState]:
    """Reserve for each in turn; return the exhausted limit of each that was refused, by the id of the reservation."""
    room = await _open(tx, [new.account for new in wanted])
    refused = {new.id: limit for new in wanted if (limit := room.take(new)) is not None}
    if granted := [new for new in wanted if new.id not in refused]:
        await store.insert_reservations(tx, granted, clock.stamp(), ttl)
    return refused


async def find_exhausted(tx: Tx, account: QuotaAccount, estimate: Spend, *, slot: bool = True) -> LimitState | None:
    """Return the outermost limit that the estimate exceeds. The company's quota is locked until the commit."""
    return (await _open(tx, [account])).find_exceeded(account, estimate, slots=int(slot))


async def _open(tx: Tx, accounts: Sequence[QuotaAccount]) -> SpendingRoom:
    """Return what accounts may spend. Their companies' quotas are locked until the commit."""
    await lock_companies(tx, (account.org_id for account in accounts))
    room = await _read(tx, accounts)
    if room.has_tenant_limit:
        await tx.lock("quota", "")  # always after the companies' locks, to avoid deadlocks
        room = await _read(tx, accounts)
    return room


async def _read(db: Reads, accounts: Sequence[QuotaAccount]) -> SpendingRoom:
    companies, teams = {account.org_id for account in accounts}, {account.team_id for account in accounts}
    return SpendingRoom(await store.select_spending_limits(db, companies, teams, windows.all_starts()))


async def preview(db: Reads, account: QuotaAccount, estimate: Spend) -> LimitState | None:
    """Return the outermost limit that the estimate exceeds now, without reserving or locking anything."""
    return (await _read(db, [account])).find_exceeded(account, estimate, slots=1)


async def lock_companies(tx: Tx, org_ids: Iterable[str]) -> None:
    """Lock the quotas of several companies, in a fixed order to avoid deadlocks."""
    if companies := set(org_ids):
        await tx.lock("quota", *companies)


async def renew(tx: Tx, id: str, ttl: float = TTL) -> None:
    await store.extend_reservation(tx, id, ttl)


async def renew_many(tx: Tx, ids: Sequence[str], ttl: float = TTL) -> None:
    if ids:
        await store.extend_reservations(tx, ids, ttl)


async def settle(tx: Tx, settlements: Sequence[Settlement]) -> None:
    """Add the real figures of reservations to the counters, of each once, in the windows in which it began; also after
    it expired."""
    # Also if nothing was spent: a transaction that is refused because of these reservations must commit first.
    await lock_companies(tx, (settlement.org_id for settlement in settlements))
    settled = await store.settle_reservations(tx, settlements, clock.stamp()) if settlements else []
    spent = [entry for entry in settled if entry.requests or entry.tokens]
    if not spent:
        return
    await store.add_used(tx, _sum(spent, _counters))
    for org_id, team_id in sorted({(entry.org_id, entry.team_id) for entry in spent}):
        await events.record(tx, USAGE.kind, team_id, change=Change.UPDATED, org_id=org_id, team_id=team_id)


def _counters(entry: Reservation) -> tuple[UsageCounter, ...]:
    began = int(clock.seconds(entry.began_at))
    return _counters_at(entry.org_id, entry.team_id, entry.user_id, began - began % clock.MINUTE)


@lru_cache(256)
def _counters_at(org_id: str, team_id: str, user_id: str, minute: int) -> tuple[UsageCounter, ...]:
    # Every window starts with a minute.
    starts = windows.all_starts(minute)
    return tuple(
        UsageCounter(level, window, starts[window], subject, of_org)
        for level, subject, of_org, counted in (
            ("tenant", shard_of(org_id), "", starts),
            ("org", org_id, org_id, starts),
            ("team", team_id, org_id, starts),
            ("person", f"{team_id}/{user_id}", org_id, _PERSONAL),
        )
        for window in counted
    )


def _sum(entries: Iterable[Entry], counters: Callable[[Entry], Iterable[UsageCounter]]) -> list[UsedAmount]:
    """Return what entries of the ledger add to each of their counters, in a fixed order to avoid deadlocks."""
    sums: dict[UsageCounter, tuple[int, int]] = {}
    for entry in entries:
        for counter in counters(entry):
            requests, tokens = sums.get(counter, (0, 0))
            sums[counter] = requests + entry.requests, tokens + entry.tokens
    return [
        UsedAmount(counter.level, counter.per, counter.starts_at, counter.subject, counter.org_id, *sums[counter])
        for counter in sorted(sums)
    ]


async def find_open(tx: Tx, job_ids: Sequence[str]) -> list[Settlement]:
    """Return what the handlers of jobs have reserved and not settled: their calls were cut off, and have had their
    cost."""
    return await store.select_open(tx, job_ids) if job_ids else []


async def forget_asked(tx: Tx) -> None:
    """Forget which calls are awaited, when the only server starts: those of its last run were cut off."""
    await store.forget_asked(tx)


async def is_asked(tx: Tx, team_id: str, digest: str) -> bool:
    """Whether the team has reserved for a call with this digest, and waits for its answer."""
    return await store.is_asked(tx, team_id, digest)


async def spend(tx: Tx, account: QuotaAccount, spent: Spend, *, purpose: str) -> None:
    """Reserve and settle in one commit, without a slot, for a spend that is known in advance."""
    reservation_id = await reserve(tx, account, spent, purpose=purpose, slot=False)
    await settle(tx, [Settlement(reservation_id, account.org_id, spent)])


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
    while await _charge_lost(db) == _CHARGED_AT_ONCE:
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
    lost = await store.select_lost(db, _LOST_AFTER, _CHARGED_AT_ONCE)
    async with db.maintenance(system()) as tx:
        await settle(tx, lost)
    return len(lost)


async def _close_batch(db: Db) -> int:
    """Delete a batch of old ledger rows, keeping their sum per company and team, so the counters can still be checked."""
    async with db.maintenance(system()) as tx:
        old = await store.take_old_settled(tx, ids.lower_bound(clock.now() - _KEEP_SETTLED), _BATCH)
        await store.add_used(tx, _sum(old, _closed))
    return len(old)


def _closed(entry: SettledSpend) -> list[UsageCounter]:
    return [
        UsageCounter(level, store.CLOSED, "", subject, entry.org_id)
        for level, subject in ((Level.ORG, entry.org_id), (Level.TEAM, entry.team_id))
    ]
