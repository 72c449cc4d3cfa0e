"""Guessing has a price: failures are counted, and past a limit nobody is heard until the window ends.

A failure is counted before the password is looked at, in a commit of its own, so that a hundred
guesses at once get no more hashes than the limit allows. Success takes the count back.
"""

from collections.abc import Mapping
from math import ceil

from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.errors import TooManyAttempts
from teamspace.core.principal import Principal
from teamspace.identity import store

WINDOW = 15 * clock.MINUTE


async def count(db: Db, who: Principal, limits: Mapping[str, int]) -> None:
    """One more attempt for each subject; beyond the limit of one it is refused, and counts for none.

    So whoever is refused by the limit of their own address uses up nothing that others share. Everybody names
    subjects in the same order, since each is locked from here to the commit.
    """
    now, resets_at = clock.stamp(), clock.later(WINDOW)
    async with db.upkeep(who) as tx:
        for subject, most in limits.items():
            attempts = await store.count_attempt(tx, subject, now, resets_at)
            if attempts and attempts.failures > most:
                wait = max(1, ceil(clock.seconds(attempts.resets_at) - clock.now()))
                raise TooManyAttempts("Too many failed attempts: wait before trying again.", wait)


async def forget(db: Db, who: Principal, subject: str) -> None:
    async with db.upkeep(who) as tx:
        await store.forget_attempts(tx, subject)


async def uncount(db: Db, who: Principal, subjects: Mapping[str, int]) -> None:
    """It was no failure."""
    async with db.upkeep(who) as tx:
        for subject in subjects:
            await store.uncount_attempt(tx, subject)
