"""Tables that packages contribute besides routes: jobs, listeners, events, invariants, blob and encrypted columns."""

import teamspace.ai.jobs
import teamspace.jobs.listeners
import teamspace.repository.jobs
from teamspace import blobs, branding, events, executors, identity, jobs, notes, quota, repository, tenancy
from teamspace.core import idempotency
from teamspace.core.db import audit, canary
from teamspace.core.tables import BlobColumn, EncryptedColumn, Invariant, OwnedTable
from teamspace.jobs import access

BLOB_COLUMNS: tuple[BlobColumn, ...] = (*branding.BLOB_COLUMNS, *repository.BLOB_COLUMNS)
"""Every column that references a blob."""

INVARIANTS: tuple[Invariant, ...] = (
    *audit.INVARIANTS,
    *blobs.invariants(BLOB_COLUMNS),
    *identity.INVARIANTS,
    *quota.INVARIANTS,
    *tenancy.INVARIANTS,
    *jobs.INVARIANTS,
    *executors.INVARIANTS,
    *branding.INVARIANTS,
    *notes.INVARIANTS,
    *repository.INVARIANTS,
)

SUBJECTS: tuple[events.EventSubject, ...] = (
    *notes.SUBJECTS,
    *repository.SUBJECTS,
    *quota.SUBJECTS,
    *tenancy.SUBJECTS,
    events.EventSubject("job", fences=lambda who: tuple(access.fence(who, table) for table in access.TABLES)),
)
"""Every kind of thing whose changes people are told about."""

TRANSIENT_TABLES = frozenset(events.TRANSIENT)
"""Tables whose rows a backup leaves out."""

OWNED_TABLES: tuple[OwnedTable, ...] = (*notes.OWNED_TABLES, *repository.OWNED_TABLES)
"""Every table whose rows belong to a person in a team."""

ENCRYPTED: tuple[EncryptedColumn, ...] = (
    *canary.ENCRYPTED,
    *idempotency.ENCRYPTED,
    *identity.ENCRYPTED,
    *executors.ENCRYPTED,
)
"""Every column whose values are encrypted with the secret key."""

JOBS = (teamspace.ai.jobs, teamspace.repository.jobs)
"""Modules with a JOBS table of job kinds."""

LISTENERS = (teamspace.jobs.listeners,)
"""Modules with a LISTENERS table; listeners run in the transaction that emits the event."""
