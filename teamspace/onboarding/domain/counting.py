"""Counts how many visitors reach each step of a funnel, by day.

Steps of visitors are counted in memory and written every few seconds, so that a page view costs no commit. A server that
is killed loses the last of them.
"""

from collections import Counter
from enum import StrEnum

from teamspace.core import clock
from teamspace.core.db import Db, Tx
from teamspace.core.principal import system
from teamspace.onboarding import store
from teamspace.onboarding.schemas.experience import PublishedExperience
from teamspace.onboarding.schemas.prospects import DayCount, FunnelDay

SAVE_SECONDS = 5
SHOWN_DAYS = 30
_MAX_WAITING = 10_000


class FunnelStep(StrEnum):
    VIEWS = "views"
    STARTS = "starts"
    SOLVED = "solved"
    SIGNED_UP = "signed_up"
    ACCEPTED = "accepted"
    ACTIVATED = "activated"


class FunnelCounts:
    def __init__(self) -> None:
        self._waiting = Counter[tuple[str, str, str, str]]()

    def add(self, experience: PublishedExperience, step: FunnelStep) -> None:
        key = (experience.org_id, experience.team_id, _today(), step)
        if key in self._waiting or len(self._waiting) < _MAX_WAITING:
            self._waiting[key] += 1

    async def save(self, db: Db) -> None:
        waiting, self._waiting = self._waiting, Counter()
        if not waiting:
            return
        async with db.maintenance(system()) as tx:
            for (org_id, team_id, day, step), count in sorted(waiting.items()):
                await store.add_count(tx, org_id, team_id, day, step, count)


async def count(tx: Tx, org_id: str, team_id: str, step: FunnelStep) -> None:
    """Count a step of the team in the transaction that does it."""
    await store.add_count(tx, org_id, team_id, _today(), step, 1)


def to_days(counts: list[DayCount]) -> list[FunnelDay]:
    """Return the numbers of each day, newest first."""
    days: dict[str, dict[str, int]] = {}
    for each in counts:
        if each.step in list(FunnelStep):
            days.setdefault(each.day, {})[each.step] = each.count
    return [FunnelDay(day=day, **days[day]) for day in sorted(days, reverse=True)]


def first_shown_day() -> str:
    return clock.ago((SHOWN_DAYS - 1) * clock.DAY)[:10]


def _today() -> str:
    return clock.stamp()[:10]
