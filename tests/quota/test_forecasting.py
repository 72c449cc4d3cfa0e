"""Forecasts: the pace of the last days, and the day on which the limit is reached."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from teamspace.quota.domain.forecasting import ENOUGH, HORIZON, LOOK_BACK, forecast, pace
from teamspace.quota.schemas import Outlook

TODAY = date(2026, 2, 10)
AMOUNTS = st.lists(st.integers(-(10**12), 10**12), max_size=60)


def test_a_steady_pace_gives_the_day() -> None:
    told = forecast(700, 1000, [20] * 10, TODAY)
    assert (told.outlook, told.per_day, told.reached_on) == (Outlook.ON_DAY, 20, "2026-02-25")


def test_neither_a_weekend_nor_one_large_import_decides() -> None:
    assert pace([100, 100, 100, 100, 100, 0, 0] * 4) == 500 / 7, "a week has its weekend"
    assert pace([0] * 10 + [10**9] + [0] * 10) == 0
    assert pace([5] * 14 + [10**9] + [5] * 15) == 5


def test_only_the_last_days_count() -> None:
    assert pace([1000] * 300 + [1] * LOOK_BACK) == 1


def test_with_a_few_days_it_is_too_early() -> None:
    assert forecast(1, 10, [1] * (ENOUGH - 1), TODAY).outlook is Outlook.TOO_EARLY
    assert forecast(1, 10, [1] * ENOUGH, TODAY).outlook is Outlook.ON_DAY
    assert forecast(10, 10, [], TODAY).outlook is Outlook.REACHED


def test_what_is_far_away_or_shrinks_is_not_reached_within_a_year() -> None:
    assert forecast(0, HORIZON, [1] * 30, TODAY).reached_on == "2027-02-10"
    assert forecast(0, HORIZON + 1, [1] * 30, TODAY).outlook is Outlook.NOT_WITHIN_YEAR
    assert forecast(500, 1000, [-5] * 30, TODAY).outlook is Outlook.NOT_WITHIN_YEAR


def test_a_window_that_ends_before_is_enough() -> None:
    march = date(2026, 3, 1)
    assert forecast(0, 190, [10] * 30, TODAY, march).outlook is Outlook.AFTER_RESET
    assert forecast(10, 190, [10] * 30, TODAY, march).reached_on == "2026-02-28"
    assert forecast(10, 190, [0] * 30, TODAY, march).outlook is Outlook.AFTER_RESET


@given(AMOUNTS, st.integers(0, 10**15), st.integers(0, 10**15))
def test_the_day_is_the_first_on_which_the_pace_reaches_the_limit(amounts: list[int], total: int, limit: int) -> None:
    told = forecast(total, limit, amounts, TODAY)
    assert (told.reached_on is not None) == (told.outlook is Outlook.ON_DAY)
    if told.reached_on is None:
        return
    per_day, days = told.per_day, (date.fromisoformat(told.reached_on) - TODAY) // timedelta(days=1)
    assert per_day is not None
    assert 1 <= days <= HORIZON
    slack = 1e-6 * max(1, limit)
    assert total + days * per_day >= limit - slack
    assert total + (days - 1) * per_day < limit + slack


@given(AMOUNTS, st.integers(1, 10**6))
def test_the_pace_is_within_what_happened_and_has_no_unit(amounts: list[int], scale: int) -> None:
    found = pace(amounts)
    if found is None:
        assert len(amounts) < ENOUGH
        return
    recent = amounts[-LOOK_BACK:]
    slack = 1e-6 * max(map(abs, recent)) + 1e-6
    assert min(recent) - slack <= found <= max(recent) + slack
    scaled = pace([amount * scale for amount in amounts])
    assert scaled is not None
    assert abs(scaled - found * scale) <= slack * scale
