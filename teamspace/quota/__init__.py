"""Quotas: nested limits (tenant, company, team), the plans that set them, and how much is used."""

from teamspace.quota.domain.limits import JOB_CAPS, apply_plan, limits_of, set_limit, usage_of
from teamspace.quota.domain.spending import (
    TTL,
    USAGE,
    charge,
    find_exhausted,
    find_open,
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
from teamspace.quota.domain.traffic import SAVE_TRAFFIC_SECONDS, save_traffic
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
    "SAVE_TRAFFIC_SECONDS",
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
    "charge",
    "find_exhausted",
    "find_open",
    "limits_of",
    "lock_companies",
    "preview",
    "refusal",
    "release",
    "renew",
    "renew_many",
    "reserve",
    "resets_at",
    "save_traffic",
    "set_limit",
    "settle",
    "spend",
    "storage_room",
    "tidy",
    "try_reserve",
    "usage_of",
]
