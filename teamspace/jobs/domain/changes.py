"""Record that jobs changed, for those who follow them."""

from collections.abc import Iterable

from teamspace import events
from teamspace.core.db import Tx
from teamspace.events import Change, ChangedSubject
from teamspace.jobs.access import SUBJECT
from teamspace.jobs.schemas import Job


async def record(tx: Tx, jobs: Iterable[Job]) -> None:
    changed = [ChangedSubject(job.id, job.org_id, job.team_id) for job in jobs]
    await events.record_many(tx, SUBJECT.kind, changed, change=Change.UPDATED)


async def record_new(tx: Tx, org_id: str, team_id: str, *job_ids: str) -> None:
    await events.record(tx, SUBJECT.kind, *job_ids, change=Change.CREATED, org_id=org_id, team_id=team_id)
