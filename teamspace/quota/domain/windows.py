"""Windows of time: when the present one began and when the next begins, in UTC."""

from datetime import UTC, datetime, timedelta

from teamspace.core import clock
from teamspace.quota.schemas import Window

_EVER = "1970-01-01T00:00:00.000Z"


def began(window: Window, at: float | None = None) -> str:
    """When the present window began, or the one that holds another moment."""
    return _EVER if window is Window.LIFETIME else _stamp(_start(window, _moment(at)))


def ends(window: Window | None) -> str | None:
    """When the next one begins; never, for a lifetime or where there is no window."""
    if window is None or window is Window.LIFETIME:
        return None
    return _stamp(_next(window, _start(window, _moment())))


def all_began() -> dict[str, str]:
    return {str(window): began(window) for window in Window}


def elapsed(window: Window | None) -> float:
    """Which share of the present window is over; 1 where none ends."""
    ending = ends(window)
    if window is None or ending is None:
        return 1
    start, end = clock.seconds(began(window)), clock.seconds(ending)
    return (clock.now() - start) / (end - start)


def _moment(at: float | None = None) -> datetime:
    return datetime.fromtimestamp(clock.now() if at is None else at, UTC)


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
