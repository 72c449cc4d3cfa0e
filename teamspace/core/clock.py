"""The clock. Times are UTC text with milliseconds, the same in the database and on the wire; they sort as text."""

import time
from datetime import UTC, datetime
from functools import lru_cache

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR
_MILLIS = tuple(f".{millis:03d}Z" for millis in range(1000))


def now() -> float:
    """Return seconds since the epoch. Tests replace this function to change the time."""
    return time.time()


def stamp(seconds: float | None = None) -> str:
    """Return `seconds` (default: now) as RFC 3339 text."""
    second, millis = divmod(int((now() if seconds is None else seconds) * 1000), 1000)
    return _format_second(second) + _MILLIS[millis]


@lru_cache(1024)
def _format_second(second: int) -> str:
    # Formatting a date is slow, and there can be thousands of timestamps per second.
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def later(seconds: float) -> str:
    return stamp(now() + seconds)


def ago(seconds: float) -> str:
    return stamp(now() - seconds)


def seconds(stamp: str) -> float:
    """Return seconds since the epoch for a timestamp: the inverse of `stamp`."""
    return datetime.fromisoformat(stamp).timestamp()
