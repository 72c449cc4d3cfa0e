"""The one clock. Times are UTC text with milliseconds, the same in the database and on the wire, and sort as text."""

import time
from datetime import UTC, datetime
from functools import lru_cache

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def now() -> float:
    """Seconds since the epoch. Tests move time by replacing this function."""
    return time.time()


def stamp(seconds: float | None = None) -> str:
    """`seconds` (now by default) as RFC 3339 text."""
    whole, rest = divmod(now() if seconds is None else seconds, 1)
    return f"{_to_the_second(int(whole))}.{int(rest * 1000):03d}Z"


@lru_cache(1024)
def _to_the_second(whole: int) -> str:
    # Formatting a date is slow, and thousands of stamps fall into one second.
    return datetime.fromtimestamp(whole, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def later(seconds: float) -> str:
    return stamp(now() + seconds)


def ago(seconds: float) -> str:
    return stamp(now() - seconds)


def seconds(stamp: str) -> float:
    """The inverse of `stamp`."""
    return datetime.fromisoformat(stamp).timestamp()
