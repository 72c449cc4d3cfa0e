"""Usage by day: storage, files, traffic and AI, measured against the limit that the usage shows."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta

from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.quota import store
from teamspace.quota.domain import forecasting, limits, windows
from teamspace.quota.schemas import (
    DaySource,
    DayZero,
    Level,
    Metric,
    MetricHistory,
    Usage,
    UsageDay,
    UsageForecast,
    Window,
)

_SOURCES: dict[Metric, tuple[DaySource, str]] = {
    Metric.BYTES: (store.STORED_DAYS, "first"),
    Metric.OBJECTS: (store.STORED_DAYS, "second"),
    Metric.RECEIVED: (store.TRAFFIC_DAYS, "first"),
    Metric.SENT: (store.TRAFFIC_DAYS, "second"),
    Metric.REQUESTS: (store.USED_DAYS, "first"),
    Metric.TOKENS: (store.USED_DAYS, "second"),
}
"""Where the amounts of a metric are, and which of the two that are stored together."""
_STORED = (Metric.BYTES, Metric.OBJECTS)
_SPENT = (Metric.REQUESTS, Metric.TOKENS)
_RESETTING = (Window.WEEK, Window.MONTH)


async def histories(db: Db, who: Principal, days: int, only: Metric | None) -> list[MetricHistory]:
    """Return the last days of each metric, or of one."""
    first = await store.get_first_days(db, who.org_id, who.team_id)
    rows = {str(usage.dimension): usage for usage in await limits.usage(db, who)}
    wanted = [metric for metric in Metric if only in (None, metric)]
    return [await _history(db, who, metric, rows.get(metric), first, days) for metric in wanted]


async def _history(
    db: Db, who: Principal, metric: Metric, usage: Usage | None, first: DayZero, days: int
) -> MetricHistory:  # fmt: skip
    level = usage.level if usage else Level.TEAM
    limit, window = (usage.limit, usage.window) if usage else (None, None)
    subject = {Level.TEAM: who.team_id, Level.ORG: who.org_id, Level.TENANT: ""}[level]
    begin = _first_day(first, metric, level)
    shown = _list_days(begin, days)
    complete = _list_days(begin, forecasting.LOOK_BACK + 1)[:-1]
    window_start = windows.start_of(window, _seconds(shown[0]))[:10] if window in _RESETTING else shown[0]
    source, chosen = _SOURCES[metric]
    rows = await store.select_days(db, source, level, subject, min(window_start, *complete[:1], shown[0]))
    amounts = {row.day: getattr(row, chosen) for row in rows}
    now = getattr(await store.get_stored(db, level, subject), chosen) if metric in _STORED else usage and usage.used
    totals = _totals(metric, limit, window, shown, amounts, now or 0)
    return MetricHistory(
        metric, level, limit, window,
        [UsageDay(day, amounts.get(day, 0), total) for day, total in zip(shown, totals, strict=True)],
        _forecast(limit, window, now or 0, [amounts.get(day, 0) for day in complete]),
    )  # fmt: skip


def _first_day(first: DayZero, metric: Metric, level: Level) -> str:
    """Return the first day of which anything is known; AI usage has always been counted by day."""
    born = first.team if level is Level.TEAM else first.company
    return born if metric in _SPENT else max(born, first.recorded)


def _list_days(begin: str, count: int) -> list[str]:
    """Return the last days, oldest first, up to today, which is always there."""
    today = _today()
    days = [(today - timedelta(days=back)).isoformat() for back in reversed(range(count))]
    return [day for day in days if day >= begin] or days[-1:]


def _totals(
    metric: Metric, limit: int | None, window: Window | None, shown: Sequence[str], amounts: Mapping[str, int], now: int
) -> list[int]:  # fmt: skip
    """Return what counts against the limit at the end of each day."""
    if metric in _STORED or (limit is not None and window is Window.LIFETIME):
        return _count_back(now, [amounts.get(day, 0) for day in shown])
    if limit is not None and window in _RESETTING:
        return [_sum_of_window(window, day, amounts) for day in shown]
    return [amounts.get(day, 0) for day in shown]


def _count_back(now: int, amounts: Sequence[int]) -> list[int]:
    """Return the total at the end of each day, the last of which is today."""
    totals = list[int]()
    for amount in reversed(amounts):
        totals.append(now)
        now -= amount
    return totals[::-1]


def _sum_of_window(window: Window, day: str, amounts: Mapping[str, int]) -> int:
    start = windows.start_of(window, _seconds(day))[:10]
    return sum(amount for each, amount in amounts.items() if start <= each <= day)


def _forecast(limit: int | None, window: Window | None, now: int, complete: Sequence[int]) -> UsageForecast | None:
    if limit is None or window not in (*_RESETTING, Window.LIFETIME):
        return None
    end = windows.end_of(window)
    return forecasting.forecast(now, limit, complete, _today(), date.fromisoformat(end[:10]) if end else None)


def _today() -> date:
    return datetime.fromtimestamp(clock.now(), UTC).date()


def _seconds(day: str) -> float:
    return datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
