"""What may be spent: limits that nest (tenant, company, team), plans that set them, and how much is used."""

from teamspace.quota.domain.limits import JOB_CAPS, apply_plan, limits_of, set_limit
from teamspace.quota.domain.spending import (
    admit,
    exhausted,
    open_books,
    refusal,
    release,
    renew,
    reserve,
    settle,
    spend,
    tidy,
)
from teamspace.quota.domain.storing import Room, room, store_more
from teamspace.quota.schemas import Account, Bound, Dimension, Level, LimitChanged, Plan, QuotaDraft, Spend, Usage
from teamspace.quota.store import INVARIANTS

__all__ = [
    "INVARIANTS",
    "JOB_CAPS",
    "Account",
    "Bound",
    "Dimension",
    "Level",
    "LimitChanged",
    "Plan",
    "QuotaDraft",
    "Room",
    "Spend",
    "Usage",
    "admit",
    "apply_plan",
    "exhausted",
    "limits_of",
    "open_books",
    "refusal",
    "release",
    "renew",
    "reserve",
    "room",
    "set_limit",
    "settle",
    "spend",
    "store_more",
    "tidy",
]
