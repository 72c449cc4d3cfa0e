"""What limits allow: read once for all reservations of a transaction."""

from collections.abc import Sequence
from operator import attrgetter

import msgspec

from teamspace.quota.schemas import Dimension, Level, LimitState, NewReservation, QuotaAccount, Spend


class SpendingRoom:
    """What the limits allow some accounts, less what was taken."""

    def __init__(self, limits: Sequence[LimitState]) -> None:
        self._limits: dict[tuple[Level, str], list[LimitState]] = {}
        for limit in sorted(limits, key=attrgetter("dimension")):
            self._limits.setdefault((limit.level, limit.subject), []).append(limit)

    @property
    def has_tenant_limit(self) -> bool:
        return any(limit.most is not None for limit in self._limits.get((Level.TENANT, ""), ()))

    def find_exceeded(self, account: QuotaAccount, estimate: Spend, slots: int) -> LimitState | None:
        """Return the outermost limit that the estimate exceeds."""
        wanted = _amounts(estimate, slots)
        # A lowered limit can already be exceeded: that must not refuse a spend of 0 in its dimension.
        return next(
            (
                limit
                for subject in _subjects(account)
                for limit in self._limits.get(subject, ())
                if limit.remaining is not None and wanted[limit.dimension] > max(0, limit.remaining)
            ),
            None,
        )

    def take(self, new: NewReservation) -> LimitState | None:
        """Take what is reserved, or return the outermost limit that it exceeds."""
        if exceeded := self.find_exceeded(new.account, new.estimate, new.slots):
            return exceeded
        taken = _amounts(new.estimate, new.slots)
        for subject in _subjects(new.account):
            if limits := self._limits.get(subject):
                self._limits[subject] = [
                    msgspec.structs.replace(limit, reserved=limit.reserved + taken[limit.dimension]) for limit in limits
                ]
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
