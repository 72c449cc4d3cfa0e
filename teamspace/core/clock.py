"""The clock. Times are UTC text with milliseconds, the same in the database and on the wire; they sort as text."""

import time
from datetime import UTC, datetime
from functools import lru_cache

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def now() -> float:
    """Return seconds since the epoch. Tests replace this function to change the time."""
    return time.time()


def stamp(seconds: float | None = None) -> str:
    """Return `seconds` (default: now) as RFC 3339 text."""
    second, fraction = divmod(now() if seconds is None else seconds, 1)
    return f"{_format_second(int(second))}.{int(fraction * 1000):03d}Z"


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
