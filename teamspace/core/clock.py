"""The one clock. Times are UTC text with milliseconds, the same in the database and on the wire, and sort as text."""

import time
from datetime import UTC, datetime

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def now() -> float:
    """Seconds since the epoch. Tests move time by replacing this function."""
    return time.time()


def stamp(seconds: float | None = None) -> str:
    """`seconds` (now by default) as RFC 3339 text."""
    moment = datetime.fromtimestamp(now() if seconds is None else seconds, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def later(seconds: float) -> str:
    return stamp(now() + seconds)


def ago(seconds: float) -> str:
    return stamp(now() - seconds)


def seconds(stamp: str) -> float:
    """The inverse of `stamp`."""
    return datetime.fromisoformat(stamp).timestamp()
