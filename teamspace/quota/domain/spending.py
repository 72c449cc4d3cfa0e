"""Spending under limits that nest: reserved before, settled after, and freed by time if nobody comes back.

What is left of a limit is what it allows, less the settled counters of its window, less the live reservations.
Nothing is ever taken off a counter, so a crash between the two leaves nothing to repair.
"""

from collections.abc import Iterable

from teamspace.core import clock, ids
from teamspace.core.db import Db, Tx
from teamspace.core.errors import QuotaExceeded
from teamspace.core.ids import new_id
from teamspace.core.principal import system
from teamspace.quota import store
from teamspace.quota.domain import windows
from teamspace.quota.schemas import Account, Bound, Dimension, Level, Spend, Window

TTL = 120
"""Seconds for which a reservation lives if it is not renewed."""
NOTHING = Spend(0, 0)
_FORGET_DEAD = clock.DAY
_KEEP = {Window.MINUTE: clock.DAY, Window.HOUR: 60 * clock.DAY}
"""For how long the counters of short windows are kept; the others stay."""
_KEEP_SETTLED = 90 * clock.DAY
_BATCH = 500
_PERSONAL = (Window.DAY, Window.MONTH)


async def admit(tx: Tx, account: Account, estimate: Spend, *, purpose: str, slot: bool = True, ttl: float = TTL) -> str:
    """Reserve at every level or at none; the reservation's id."""
    reserved = await reserve(tx, account, estimate, purpose=purpose, slot=slot, ttl=ttl)
    if isinstance(reserved, Bound):
        raise refusal(reserved)
    return reserved


async def reserve(
    tx: Tx, account: Account, estimate: Spend, *, purpose: str, slot: bool = True, ttl: float = TTL
) -> str | Bound:
    """The same for whoever can wait: where there is no room, the limit that has none."""
    if bound := await exhausted(tx, account, estimate, slot=slot):
        return bound
    id = new_id()
    await store.insert_entry(tx, id, account, purpose, estimate, slots=int(slot), now=clock.stamp(), ttl=ttl)
    return id


async def exhausted(tx: Tx, account: Account, estimate: Spend, *, slot: bool = True) -> Bound | None:
    """The outermost limit that has no room for it. Until the commit nobody else of the company is told otherwise."""
    await tx.lock("quota", account.org_id)
    bounds = await _bounds(tx, account)
    if any(bound.level is Level.TENANT and bound.most is not None for bound in bounds):
        await tx.lock("quota", "")  # always after the company's, so that two of them never wait for each other
        bounds = await _bounds(tx, account)
    asked = {
        Dimension.REQUESTS: estimate.requests,
        Dimension.TOKENS: estimate.tokens,
        Dimension.CONCURRENCY: int(slot),
    }
    # A limit that was lowered may be overdrawn: what asks for nothing of it is not stopped by that.
    return next(
        (bound for bound in bounds if bound.left is not None and asked[bound.dimension] > max(0, bound.left)), None
    )


async def open_books(tx: Tx, org_ids: Iterable[str]) -> None:
    """Several companies' books, in one order for everybody: else two who need the same could wait for each other."""
    for org_id in sorted(set(org_ids)):
        await tx.lock("quota", org_id)


async def renew(tx: Tx, id: str, ttl: float = TTL) -> None:
    await store.extend_entry(tx, id, ttl)


async def settle(tx: Tx, id: str, spent: Spend) -> None:
    """Enter what it came to, once, in the windows in which it began; valid also after it expired."""
    entry = await store.settle_entry(tx, id, spent, clock.stamp())
    if entry is None:
        return
    await tx.lock("quota", entry.org_id)  # also for nothing: whoever is just being refused for it, is refused then
    if spent == NOTHING:
        return
    began = clock.seconds(entry.began_at)
    counters = [
        (level, str(window), windows.began(window, began), subject)
        for level, subject, counted in (
            (str(Level.ORG), entry.org_id, tuple(Window)),
            (str(Level.TEAM), entry.team_id, tuple(Window)),
            ("person", f"{entry.team_id}/{entry.user_id}", _PERSONAL),
        )
        for window in counted
    ]
    await store.add_used(tx, entry.org_id, counters, spent)


async def release(tx: Tx, id: str) -> None:
    """Nothing came of it."""
    await settle(tx, id, NOTHING)


async def spend(tx: Tx, account: Account, spent: Spend, *, purpose: str) -> None:
    """For what is known and done at once: admitted and settled in one commit, without a slot."""
    await settle(tx, await admit(tx, account, spent, purpose=purpose, slot=False), spent)


def refusal(bound: Bound) -> QuotaExceeded:
    resets_at = windows.ends(bound.per)
    if bound.dimension is Dimension.CONCURRENCY:
        detail = f"All {bound.most} slots of {bound.dimension} ({bound.level}) are taken."
        return QuotaExceeded(detail, 1, dimension=bound.dimension, level=bound.level, resets_at=None)
    wait = max(1, round(clock.seconds(resets_at) - clock.now())) if resets_at else None
    used = bound.used + bound.reserved
    detail = f"{bound.dimension} ({bound.level}): {used} of {bound.most} are used" + (
        f"; it begins anew at {resets_at}." if resets_at else "."
    )
    return QuotaExceeded(detail, wait, dimension=bound.dimension, level=bound.level, resets_at=resets_at)


async def tidy(db: Db) -> None:
    """Forget reservations that were left behind, counters of short windows long past, and what was settled long ago."""
    async with db.upkeep(system()) as tx:
        await store.delete_dead_entries(tx, _FORGET_DEAD)
        for window, seconds in _KEEP.items():
            await store.delete_used(tx, window, clock.ago(seconds))
    while await _close_some(db) == _BATCH:
        pass


async def _close_some(db: Db) -> int:
    """Old entries leave the ledger; of each company and team their sum stays, so that the books can still be checked."""
    async with db.upkeep(system()) as tx:
        old = await store.take_old_entries(tx, ids.began(clock.now() - _KEEP_SETTLED), _BATCH)
        sums: dict[tuple[str, str, str], Spend] = {}
        for entry in old:
            for level, subject in ((Level.ORG, entry.org_id), (Level.TEAM, entry.team_id)):
                counter = (entry.org_id, str(level), subject)
                before = sums.get(counter, NOTHING)
                sums[counter] = Spend(before.requests + entry.requests, before.tokens + entry.tokens)
        for (org_id, at, subject), spent in sorted(sums.items(), key=lambda item: item[0]):
            await store.add_used(tx, org_id, [(at, store.CLOSED, "", subject)], spent)
    return len(old)


async def _bounds(tx: Tx, account: Account) -> list[Bound]:
    """From the outermost."""
    levels = list(Level)
    rows = await store.select_spending_bounds(tx, account, windows.all_began())
    return sorted(rows, key=lambda row: (levels.index(row.level), row.dimension))
