"""Rate limit of password guessing: failures are counted, and beyond a limit attempts are refused until the window ends.

Each attempt is counted as a failure before the password is checked, in its own commit, so that concurrent guesses
cannot exceed the limit. A success takes the count back.
"""

from collections.abc import Mapping
from math import ceil

from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.errors import TooManyAttempts
from teamspace.core.principal import Principal
from teamspace.identity import store

WINDOW = 15 * clock.MINUTE


async def count_attempt(db: Db, who: Principal, limits: Mapping[str, int]) -> None:
    """Count an attempt for each subject; beyond the limit of any, it is refused and counts for none.

    So an address that is over its own limit does not use up the limits that others share. Callers must pass subjects in
    the same order, since each is locked until the commit.
    """
    now, resets_at = clock.stamp(), clock.later(WINDOW)
    async with db.maintenance(who) as tx:
        for subject, limit in limits.items():
            attempts = await store.count_attempt(tx, subject, now, resets_at)
            if attempts and attempts.failures > limit:
                wait = max(1, ceil(clock.seconds(attempts.resets_at) - clock.now()))
                raise TooManyAttempts("sign_in.too_many", wait)


async def reset(db: Db, who: Principal, subject: str) -> None:
    async with db.maintenance(who) as tx:
        await store.forget_attempts(tx, subject)


async def uncount(db: Db, who: Principal, subjects: Mapping[str, int]) -> None:
    """Take back an attempt that was not a failure."""
    async with db.maintenance(who) as tx:
        for subject in subjects:
            await store.uncount_attempt(tx, subject)
