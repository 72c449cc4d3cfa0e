"""What the capabilities bring besides routes: jobs, listeners, invariants, and which columns name blobs or hold secrets."""

import teamspace.ai.jobs
import teamspace.jobs.listeners
import teamspace.repository.jobs
from teamspace import blobs, branding, executors, identity, jobs, notes, quota, repository, tenancy
from teamspace.core import idempotency
from teamspace.core.db import audit, canary
from teamspace.core.tables import Invariant, Kept, Owned, SealedColumn

KEPT: tuple[Kept, ...] = (*branding.KEPT, *repository.KEPT)
"""Every column that names a blob."""

INVARIANTS: tuple[Invariant, ...] = (
    *audit.INVARIANTS,
    *blobs.invariants(KEPT),
    *identity.INVARIANTS,
    *quota.INVARIANTS,
    *tenancy.INVARIANTS,
    *jobs.INVARIANTS,
    *executors.INVARIANTS,
    *branding.INVARIANTS,
    *notes.INVARIANTS,
    *repository.INVARIANTS,
)

OWNED: tuple[Owned, ...] = (*notes.OWNED, *repository.OWNED)
"""Every table whose rows belong to a person in a team."""

SEALED: tuple[SealedColumn, ...] = (*canary.SEALED, *idempotency.SEALED, *identity.SEALED, *executors.SEALED)
"""Every column whose values are sealed with the secret key."""

JOBS = (teamspace.ai.jobs, teamspace.repository.jobs)
"""Modules with a JOBS table: the kinds of background work."""

LISTENERS = (teamspace.jobs.listeners,)
"""Modules with a LISTENERS table; the listeners run inside the transaction that emits."""
