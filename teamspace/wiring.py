"""What the capabilities bring besides routes: listeners, invariants, and which columns name blobs or hold secrets."""

from teamspace import branding, identity, notes, quota, tenancy
from teamspace.core import idempotency
from teamspace.core.db import audit, canary
from teamspace.core.tables import Invariant, Kept, SealedColumn

INVARIANTS: tuple[Invariant, ...] = (
    *audit.INVARIANTS,
    *identity.INVARIANTS,
    *quota.INVARIANTS,
    *tenancy.INVARIANTS,
    *branding.INVARIANTS,
    *notes.INVARIANTS,
)

KEPT: tuple[Kept, ...] = (*branding.KEPT,)
"""Every column that names a blob."""

SEALED: tuple[SealedColumn, ...] = (*canary.SEALED, *idempotency.SEALED, *identity.SEALED)
"""Every column whose values are sealed with the secret key."""

LISTENERS = ()
"""Modules with a LISTENERS table; the listeners run inside the transaction that emits."""
