"""What the capabilities bring besides routes: the listeners of events and the invariants of the data."""

from teamspace import identity, notes, tenancy
from teamspace.core.db import audit
from teamspace.core.tables import Invariant

INVARIANTS: tuple[Invariant, ...] = (
    *audit.INVARIANTS,
    *identity.INVARIANTS,
    *tenancy.INVARIANTS,
    *notes.INVARIANTS,
)

LISTENERS = ()
"""Modules with a LISTENERS table; the listeners run inside the transaction that emits."""
