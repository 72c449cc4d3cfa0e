"""Time windows: when the current one began and when it ends, in UTC."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from teamspace.core import clock
from teamspace.quota.schemas import Window

_EPOCH = "1970-01-01T00:00:00.000Z"


def start_of(window: Window, at: float | None = None) -> str:
    """Return the start of the current window, or of the window at another time."""
    seconds = clock.now() if at is None else at
    return _EPOCH if window is Window.LIFETIME else _start_at(window, int(seconds // clock.MINUTE))


@lru_cache(256)
def _start_at(window: Window, minute: int) -> str:
    # Every window starts with a minute.
    return _stamp(_start(window, datetime.fromtimestamp(minute * clock.MINUTE, UTC)))


def end_of(window: Window | None) -> str | None:
    """Return the end of the current window; None for `lifetime` or without a window."""
    if window is None or window is Window.LIFETIME:
        return None
    return _stamp(_next(window, _start(window, datetime.fromtimestamp(clock.now(), UTC))))


def all_starts(at: float | None = None) -> dict[str, str]:
    """Return the start of the current window of each length, or of those at another time."""
    return _starts_at(int((clock.now() if at is None else at) // clock.MINUTE))


@lru_cache(256)
def _starts_at(minute: int) -> dict[str, str]:
    return {str(window): start_of(window, minute * clock.MINUTE) for window in Window}


def elapsed_share(window: Window | None) -> float:
    """Return the elapsed share of the current window; 1 if it never ends."""
    ending = end_of(window)
    if window is None or ending is None:
        return 1
    start, end = clock.seconds(start_of(window)), clock.seconds(ending)
    return (clock.now() - start) / (end - start)


def _start(window: Window, now: datetime) -> datetime:
    minute = now.replace(second=0, microsecond=0)
    day = minute.replace(hour=0, minute=0)
    return {
        Window.MINUTE: minute,
        Window.HOUR: minute.replace(minute=0),
        Window.DAY: day,
        Window.WEEK: day - timedelta(days=day.weekday()),
        Window.MONTH: day.replace(day=1),
    }[window]


def _next(window: Window, start: datetime) -> datetime:
    if window is Window.MONTH:
        return (start + timedelta(days=32)).replace(day=1)
    return (
        start
        + {
            Window.MINUTE: timedelta(minutes=1),
            Window.HOUR: timedelta(hours=1),
            Window.DAY: timedelta(days=1),
            Window.WEEK: timedelta(weeks=1),
        }[window]
    )


def _stamp(moment: datetime) -> str:
    return clock.stamp(moment.timestamp())
