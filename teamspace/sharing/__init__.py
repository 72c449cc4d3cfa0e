"""Sharing: rows that belong to a person, and that colleagues can be granted access to."""

from teamspace.sharing.access import granted, granted_by_others, owned
from teamspace.sharing.domain import record, share
from teamspace.sharing.schemas import Grant, OwnedRow, Share, Shareable, Shares
from teamspace.sharing.store import invariants, select_grants, select_readers

__all__ = [
    "Grant",
    "OwnedRow",
    "Share",
    "Shareable",
    "Shares",
    "granted",
    "granted_by_others",
    "invariants",
    "owned",
    "record",
    "select_grants",
    "select_readers",
    "share",
]
