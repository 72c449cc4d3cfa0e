"""Quota windows start and end where the calendar says, at any moment."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from teamspace.core import clock
from teamspace.quota.domain import windows
from teamspace.quota.schemas import Window

FINITE = [window for window in Window if window is not Window.LIFETIME]
moments = st.datetimes(datetime(1970, 1, 2), datetime(2399, 12, 30), timezones=st.just(UTC))
"""Any microsecond of four centuries, a full cycle of leap years."""


def utc(year: int, month: int, day: int, *time: int) -> datetime:
    hour, minute, second, microsecond = (*time, *(0,) * 4)[:4]
    return datetime(year, month, day, hour, minute, second, microsecond, UTC)


def calendar(window: Window, now: datetime) -> tuple[datetime, datetime]:
    """Compute the window around a moment with the calendar module's rules instead of arithmetic."""
    day = datetime.combine(now.date(), datetime.min.time(), UTC)
    if window is Window.MONTH:
        after = date(now.year + 1, 1, 1) if now.month == 12 else date(now.year, now.month + 1, 1)
        return utc(now.year, now.month, 1), utc(*after.timetuple()[:3])
    if window is Window.WEEK:
        year, week, _ = now.isocalendar()
        monday = utc(*date.fromisocalendar(year, week, 1).timetuple()[:3])
        return monday, monday + timedelta(days=7)
    if window is Window.DAY:
        return day, day + timedelta(days=1)
    seconds = {Window.HOUR: 3600, Window.MINUTE: 60}[window]
    start = day + (now - day) // timedelta(seconds=seconds) * timedelta(seconds=seconds)
    return start, start + timedelta(seconds=seconds)


def text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


@given(moments, st.sampled_from(FINITE))
@example(utc(2024, 2, 29, 23, 59, 59, 999_999), Window.MONTH)
@example(utc(2023, 2, 28, 23, 59, 59, 999_000), Window.MONTH)
@example(utc(2100, 2, 28, 23, 59, 59), Window.DAY)
@example(utc(2000, 2, 29), Window.DAY)
@example(utc(2024, 12, 31, 23, 59, 59, 999_999), Window.WEEK)
@example(utc(2027, 1, 3, 12), Window.WEEK)
@example(utc(2021, 1, 1), Window.WEEK)
@example(utc(2026, 12, 31, 23, 59, 59, 999_999), Window.MONTH)
@example(utc(2026, 1, 31, 12), Window.MONTH)
@example(utc(2026, 10, 25, 1, 30), Window.HOUR)
@example(utc(2016, 12, 31, 23, 59, 59, 999_999), Window.MINUTE)
def test_windows_match_the_calendar(now: datetime, window: Window) -> None:
    start, end = calendar(window, now)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "now", now.timestamp)
        assert (windows.start_of(window), windows.end_of(window)) == (text(start), text(end))
        assert windows.start_of(window) <= clock.stamp() < (windows.end_of(window) or "")
        # The next window starts when this one ends.
        patch.setattr(clock, "now", end.timestamp)
        assert windows.start_of(window) == text(end)


@given(moments)
def test_the_lifetime_window_starts_in_1970_and_has_no_end(now: datetime) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "now", now.timestamp)
        assert windows.start_of(Window.LIFETIME) == "1970-01-01T00:00:00.000Z"
        assert windows.end_of(Window.LIFETIME) is windows.end_of(None) is None
        assert windows.all_starts() == {str(window): windows.start_of(window) for window in Window}


def test_a_week_starts_on_monday(monkeypatch: pytest.MonkeyPatch) -> None:
    for day in range(16, 23):  # 16 November 2026 is a Monday
        monkeypatch.setattr(clock, "now", utc(2026, 11, day, 12).timestamp)
        assert windows.start_of(Window.WEEK) == "2026-11-16T00:00:00.000Z"
        assert windows.end_of(Window.WEEK) == "2026-11-23T00:00:00.000Z"
