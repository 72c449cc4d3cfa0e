"""Limits: those of a plan, those set by a person, and which one is the tightest."""

from math import inf

from teamspace.core import clock
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import BadRequest
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.quota import store
from teamspace.quota.domain import windows
from teamspace.quota.schemas import (
    STORAGE,
    Dimension,
    Interval,
    Level,
    LimitChanged,
    LimitState,
    Plan,
    QuotaAccount,
    QuotaDraft,
    Spender,
    Subject,
    Usage,
    Window,
)

DEFAULT_WINDOW: dict[Dimension, Window | None] = {
    Dimension.REQUESTS: Window.DAY,
    Dimension.TOKENS: Window.MONTH,
    Dimension.CONCURRENCY: None,
    Dimension.BYTES: Window.LIFETIME,
    Dimension.OBJECTS: Window.LIFETIME,
}
_GIB = 1024**3

# fmt: off
CAPS: dict[Plan, dict[Dimension, int | None]] = {
    #                a day                     a month                         at a time                  kept                            kept
    Plan.FREE:       {Dimension.REQUESTS: 100,    Dimension.TOKENS: 200_000,    Dimension.CONCURRENCY: 2,  Dimension.BYTES: 5 * _GIB,      Dimension.OBJECTS: 100_000},
    Plan.PRO:        {Dimension.REQUESTS: 2_000,  Dimension.TOKENS: 5_000_000,  Dimension.CONCURRENCY: 4,  Dimension.BYTES: 100 * _GIB,    Dimension.OBJECTS: 1_000_000},
    Plan.BUSINESS:   {Dimension.REQUESTS: 20_000, Dimension.TOKENS: 50_000_000, Dimension.CONCURRENCY: 8,  Dimension.BYTES: 1024 * _GIB,   Dimension.OBJECTS: 10_000_000},
    Plan.ENTERPRISE: {Dimension.REQUESTS: None,   Dimension.TOKENS: None,       Dimension.CONCURRENCY: 32, Dimension.BYTES: None,          Dimension.OBJECTS: None},
}
# fmt: on

JOB_CAPS = {Plan.FREE: 2, Plan.PRO: 4, Plan.BUSINESS: 8, Plan.ENTERPRISE: 16}
"""How many jobs of one kind a team may have admitted or running at a time."""
HISTORY_SECONDS = {Window.HOUR: 2 * clock.DAY, Window.DAY: 31 * clock.DAY}
"""How far back the usage history goes, by the length of its intervals."""


async def usage(db: Db, who: Principal) -> list[Usage]:
    """Return one row per dimension: of the limits that apply to the caller's team, the one with the least remaining."""
    return await usage_of(db, QuotaAccount.of(who))


async def usage_of(db: Reads, account: QuotaAccount) -> list[Usage]:
    """Return the same for an account, without locking anything."""
    rows = await store.select_account_limits(db, account, windows.all_starts())
    return [_tightest(dimension, rows) for dimension in Dimension]


async def history(db: Db, who: Principal, per: Window) -> list[Interval]:
    if per not in HISTORY_SECONDS:
        raise BadRequest.at("history", "value.one_of", choices=", ".join(HISTORY_SECONDS))
    return await store.select_history(db, who.team_id, per, windows.start_of(per, clock.now() - HISTORY_SECONDS[per]))


async def spenders(db: Db, who: Principal) -> list[Spender]:
    """Return the team's top spenders; members who do not manage the team only see themselves."""
    only = None if who.has_permission(Permission.SETTINGS_MANAGE) else who.user_id
    return await store.select_spenders(db, who.team_id, only, Window.MONTH, windows.start_of(Window.MONTH))


async def limits_of(db: Reads, level: Level, subject_id: str, org_id: str) -> list[Usage]:
    """Return the limits of one subject, in the order of the dimensions."""
    rows = await _limits(db, Subject(level, subject_id, org_id))
    return [_to_usage(row) for dimension in Dimension for row in rows if row.dimension is dimension]


async def set_team_limit(db: Db, who: Principal, draft: QuotaDraft) -> Usage:
    async with db.write(who, "quota.set") as tx:
        return await set_limit(tx, Level.TEAM, who.team_id, who.org_id, draft)


async def set_limit(tx: Tx, level: Level, subject_id: str, org_id: str, draft: QuotaDraft) -> Usage:
    """Set a limit. It is valid until it is set again or the company's plan changes."""
    _check_window(draft)
    subject = Subject(level, subject_id, org_id)
    await store.put_limit(
        tx, subject, draft.dimension, draft.limit, draft.window, set_by="hand", now=clock.stamp()
    )  # fmt: skip
    await tx.emit(LimitChanged(org_id))
    tx.target = subject_id or "tenant"
    tx.detail = {"level": level, "dimension": draft.dimension, "limit": draft.limit, "window": draft.window}
    return next(_to_usage(row) for row in await _limits(tx, subject) if row.dimension is draft.dimension)


async def apply_plan(tx: Tx, org_id: str, plan: Plan) -> None:
    """Replace the company's limits, also those set by a person, by the plan's caps."""
    for dimension, cap in CAPS[plan].items():
        subject = Subject(Level.ORG, org_id, org_id)
        await store.put_limit(tx, subject, dimension, cap, DEFAULT_WINDOW[dimension], set_by="plan", now=clock.stamp())
    await tx.emit(LimitChanged(org_id))


def _check_window(draft: QuotaDraft) -> None:
    is_concurrency = draft.dimension is Dimension.CONCURRENCY
    if is_concurrency and draft.window is not None:
        raise BadRequest.at("/window", "quota.no_window")
    if draft.dimension in STORAGE and draft.window is not Window.LIFETIME:
        raise BadRequest.at("/window", "quota.lifetime")
    if not is_concurrency and draft.window is None:
        raise BadRequest.at("/window", "value.one_of", choices=", ".join(Window))


async def _limits(db: Reads, subject: Subject) -> list[LimitState]:
    return await store.select_limits(db, subject, windows.all_starts())


def _tightest(dimension: Dimension, rows: list[LimitState]) -> Usage:
    """Return the limit with the least remaining; between equals the outermost level."""
    levels = list(Level)
    candidates = sorted((row for row in rows if row.dimension is dimension), key=lambda row: levels.index(row.level))
    if not candidates:
        return _to_usage(LimitState(Level.TEAM, dimension, None, DEFAULT_WINDOW[dimension], 0, 0))
    return _to_usage(min(candidates, key=lambda row: inf if row.remaining is None else row.remaining))


def _to_usage(row: LimitState) -> Usage:
    return Usage(
        dimension=row.dimension,
        used=row.used,
        reserved=row.reserved,
        limit=row.most,
        remaining=None if row.remaining is None else max(0, row.remaining),
        window=row.per,
        resets_at=windows.end_of(row.per),
        level=row.level,
        forecast=_forecast(row),
    )


def _forecast(row: LimitState) -> int | None:
    if row.per is None or row.per is Window.LIFETIME:
        return None
    return round(row.used / max(windows.elapsed_share(row.per), 0.001))
