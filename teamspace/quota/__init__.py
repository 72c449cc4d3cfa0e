"""Quotas: nested limits (tenant, company, team), the plans that set them, and how much is used."""

from teamspace.quota.domain.limits import JOB_CAPS, apply_plan, limits_of, set_limit
from teamspace.quota.domain.spending import (
    TTL,
    USAGE,
    find_exhausted,
    lock_companies,
    preview,
    refusal,
    release,
    renew,
    renew_many,
    reserve,
    resets_at,
    settle,
    spend,
    tidy,
    try_reserve,
)
from teamspace.quota.domain.storing import StorageRoom, add_stored, storage_room
from teamspace.quota.schemas import (
    Dimension,
    Level,
    LimitChanged,
    LimitState,
    Plan,
    QuotaAccount,
    QuotaDraft,
    Spend,
    Usage,
)
from teamspace.quota.store import INVARIANTS

SUBJECTS = (USAGE,)

__all__ = [
    "INVARIANTS",
    "JOB_CAPS",
    "SUBJECTS",
    "TTL",
    "USAGE",
    "Dimension",
    "Level",
    "LimitChanged",
    "LimitState",
    "Plan",
    "QuotaAccount",
    "QuotaDraft",
    "Spend",
    "StorageRoom",
    "Usage",
    "add_stored",
    "apply_plan",
    "find_exhausted",
    "limits_of",
    "lock_companies",
    "preview",
    "refusal",
    "release",
    "renew",
    "renew_many",
    "reserve",
    "resets_at",
    "set_limit",
    "settle",
    "spend",
    "storage_room",
    "tidy",
    "try_reserve",
]
