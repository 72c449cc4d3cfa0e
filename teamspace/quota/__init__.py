"""What may be spent: limits that nest (tenant, company, team), plans that set them, and how much is used."""

from teamspace.quota.domain.limits import apply_plan, limits_of, set_limit
from teamspace.quota.schemas import Level, Plan, QuotaDraft, Usage
from teamspace.quota.store import INVARIANTS

__all__ = [
    "INVARIANTS",
    "Level",
    "Plan",
    "QuotaDraft",
    "Usage",
    "apply_plan",
    "limits_of",
    "set_limit",
]
