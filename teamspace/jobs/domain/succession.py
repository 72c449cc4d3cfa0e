"""A job that follows another takes its place: the server that has just done the one goes on with the other at once.

So a run of one step after another is not admitted and claimed anew for each step. The next job is inserted as running, in
the transaction that ends the one before it, with its rank: the lane is as full as it was. Nobody is overtaken by it. If a
job waits that could have been claimed instead, or one of the same lane waits to be admitted, the next job is queued, as it
is in a suspended company.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import msgspec

from teamspace.core.db import Tx
from teamspace.jobs import store
from teamspace.jobs.domain.channels import local_channel
from teamspace.jobs.schemas import Job, JobClaim, NewJob, Outcome, State
from teamspace.quota import QuotaAccount


class Successor(Protocol):
    """Does jobs in this process, in slots."""

    def take_slot(self, kind: str, org_id: str) -> bool:
        """Take a slot for a job, unless there is none or the server stops."""
        ...

    def free_slot(self, kind: str, org_id: str) -> None: ...

    def start(self, job: Job, claim: JobClaim) -> None:
        """Start a job that has a slot."""
        ...


class _Place(msgspec.Struct):
    """The place of a job that ends."""

    rank: int
    executor_id: str
    lease: float
    next: tuple[Job, JobClaim] | None = None


class Succession:
    def __init__(self) -> None:
        self.successor: Successor | None = None
        """Who does the jobs of this process, if it does any."""
        self._places: dict[str, _Place] = {}
        """The places of the jobs whose outcomes are being written, by their ids."""

    @contextmanager
    def landing(self, ended: Sequence[tuple[Job, JobClaim, Outcome]]) -> Iterator[None]:
        """Offer the places of jobs to those that follow them in the transaction of the block; then start these."""
        places = {
            job.id: _Place(job.rank, claim.executor_id, claim.lease)
            for job, claim, _ in ended
            # Only once, if an outcome is written twice at the same time.
            if job.rank is not None and job.channel == local_channel(job.kind) and job.id not in self._places
        }
        self._places |= places
        try:
            yield
        except BaseException:
            for place in places.values():
                self._leave(place)
            raise
        finally:
            for job_id in places:
                del self._places[job_id]
        for place in places.values():
            if place.next and self.successor:
                self.successor.start(*place.next)

    def is_taken(self, job_id: str) -> bool:
        """Whether another job has taken the place of this one."""
        place = self._places.get(job_id)
        return place is not None and place.next is not None

    async def insert(
        self, tx: Tx, after: Sequence[str], kind: str, account: QuotaAccount, new: NewJob, *, priority: int
    ) -> State | None:
        """Insert a job that follows others, if it may be able to take the place of one; return its state."""
        place = next((place for id in after if (place := self._places.get(id)) and not place.next), None)
        if place is None or self.successor is None or not self.successor.take_slot(kind, account.org_id):
            return None
        claim = JobClaim(new.id, 1, secrets.token_urlsafe(16), place.executor_id, place.lease)
        job: Job | None = None
        try:
            job = await store.insert_next(
                tx, kind, account, new, channel=local_channel(kind), priority=priority, claim=claim, rank=place.rank
            )  # fmt: skip
        finally:
            if job and job.state is State.RUNNING:
                place.next = job, claim
            else:
                self.successor.free_slot(kind, account.org_id)
        return job.state if job else State.QUEUED

    def _leave(self, place: _Place) -> None:
        if place.next and self.successor:
            job, _ = place.next
            place.next = None
            self.successor.free_slot(job.kind, job.org_id)
