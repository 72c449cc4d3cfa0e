"""What limits allow: read once for all reservations of a transaction."""

from collections.abc import Sequence
from operator import attrgetter

import msgspec

from teamspace.quota.schemas import Dimension, Level, LimitState, NewReservation, QuotaAccount, Spend

_Subject = tuple[Level, str]


class SpendingRoom:
    """What the limits allow some accounts, less what was taken."""

    def __init__(self, limits: Sequence[LimitState]) -> None:
        """Without unlimited ones."""
        self._limits: dict[_Subject, list[LimitState]] = {}
        for limit in sorted(limits, key=attrgetter("dimension")):
            self._limits.setdefault((limit.level, limit.subject), []).append(limit)
        self._taken: dict[tuple[_Subject, Dimension], int] = {}

    @property
    def has_tenant_limit(self) -> bool:
        return (Level.TENANT, "") in self._limits

    def find_exceeded(self, account: QuotaAccount, estimate: Spend, slots: int) -> LimitState | None:
        """Return the outermost limit that the estimate exceeds."""
        wanted = _amounts(estimate, slots)
        for subject in _subjects(account):
            for limit in self._limits.get(subject, ()):
                taken, remaining = self._taken.get((subject, limit.dimension), 0), limit.remaining
                # A lowered limit can already be exceeded: that must not refuse a spend of 0 in its dimension.
                if remaining is not None and wanted[limit.dimension] > max(0, remaining - taken):
                    return msgspec.structs.replace(limit, reserved=limit.reserved + taken)
        return None

    def take(self, new: NewReservation) -> LimitState | None:
        """Take what is reserved, or return the outermost limit that it exceeds."""
        if exceeded := self.find_exceeded(new.account, new.estimate, new.slots):
            return exceeded
        for dimension, amount in _amounts(new.estimate, new.slots).items():
            for subject in _subjects(new.account):
                self._taken[subject, dimension] = self._taken.get((subject, dimension), 0) + amount
        return None


def _subjects(account: QuotaAccount) -> tuple[tuple[Level, str], ...]:
    """Return whose limits apply, outermost first."""
    return (Level.TENANT, ""), (Level.ORG, account.org_id), (Level.TEAM, account.team_id)


def _amounts(estimate: Spend, slots: int) -> dict[Dimension, int]:
    return {
        Dimension.REQUESTS: estimate.requests,
        Dimension.TOKENS: estimate.tokens,
        Dimension.CONCURRENCY: slots,
    }
