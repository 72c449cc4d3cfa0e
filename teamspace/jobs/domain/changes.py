"""Record that jobs changed, for those who follow them."""

from collections.abc import Iterable

from teamspace import events
from teamspace.core.db import Tx
from teamspace.events import Change
from teamspace.jobs.access import SUBJECT
from teamspace.jobs.schemas import Job


async def record(tx: Tx, jobs: Iterable[Job]) -> None:
    ids: dict[tuple[str, str], list[str]] = {}
    for job in jobs:
        ids.setdefault((job.org_id, job.team_id), []).append(job.id)
    for (org_id, team_id), changed in sorted(ids.items()):
        await events.record(tx, SUBJECT.kind, *changed, change=Change.UPDATED, org_id=org_id, team_id=team_id)


async def record_new(tx: Tx, org_id: str, team_id: str, *job_ids: str) -> None:
    await events.record(tx, SUBJECT.kind, *job_ids, change=Change.CREATED, org_id=org_id, team_id=team_id)
