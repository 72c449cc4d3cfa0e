"""Forecasts: when a limit is reached if usage goes on as in the last days."""

from collections.abc import Sequence
from datetime import date, timedelta
from math import ceil
from statistics import median

from teamspace.quota.schemas import Outlook, UsageForecast

LOOK_BACK = 30
"""How many complete days are considered."""
WEEK = 7
ENOUGH = WEEK
"""With fewer complete days there is no forecast."""
HORIZON = 365


def pace(amounts: Sequence[int]) -> float | None:
    """Return the usual amount of a day, from the amounts of complete days, oldest first; None for too few.

    It is the median of all runs of seven days, divided by seven: a weekend counts as much as it should, and a single
    large import or clean-up does not decide.
    """
    recent = amounts[-LOOK_BACK:]
    if len(recent) < ENOUGH:
        return None
    return median(sum(recent[start : start + WEEK]) for start in range(len(recent) - WEEK + 1)) / WEEK


def forecast(
    total: int, limit: int, amounts: Sequence[int], today: date, reset: date | None = None
) -> UsageForecast:  # fmt: skip
    """Return when `total` reaches the limit, from the amounts of complete days. `reset` is when it begins at 0 again."""
    per_day = pace(amounts)
    if total >= limit:
        return UsageForecast(Outlook.REACHED, per_day, None)
    if per_day is None:
        return UsageForecast(Outlook.TOO_EARLY, None, None)
    left = ceil((limit - total) / per_day) if per_day > 0 else None
    if reset is not None and (left is None or left >= (reset - today).days):
        return UsageForecast(Outlook.AFTER_RESET, per_day, None)
    if left is None or left > HORIZON:
        return UsageForecast(Outlook.NOT_WITHIN_YEAR, per_day, None)
    return UsageForecast(Outlook.ON_DAY, per_day, (today + timedelta(days=left)).isoformat())
