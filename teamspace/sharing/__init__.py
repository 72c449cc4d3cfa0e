"""Sharing: rows that belong to a person, and that colleagues can be granted access to."""

from teamspace.sharing.access import granted, granted_by_others, owned
from teamspace.sharing.domain import record, share
from teamspace.sharing.schemas import Grant, OwnedRow, Share, Shareable, Shares
from teamspace.sharing.store import (
    invariants,
    lock_trashed,
    select_expired,
    select_grants,
    select_readers,
    select_trashed,
)

__all__ = [
    "Grant",
    "OwnedRow",
    "Share",
    "Shareable",
    "Shares",
    "granted",
    "granted_by_others",
    "invariants",
    "lock_trashed",
    "owned",
    "record",
    "select_expired",
    "select_grants",
    "select_readers",
    "select_trashed",
    "share",
]
