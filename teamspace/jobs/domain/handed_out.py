"""Jobs that this process gave to remote workers: their results can be checked without reading the jobs again."""

from teamspace.jobs.schemas import Job, JobClaim

_MAX_SIZE = 16 * 1024 * 1024
"""Characters of inputs, with what the rest of a job takes."""
_REST_OF_JOB = 2048


class HandedOut:
    """The newest of them. What is forgotten, or was given out by another process, is read from the database."""

    def __init__(self) -> None:
        self._jobs: dict[JobClaim, Job] = {}
        self._size = 0

    def get(self, claim: JobClaim) -> Job | None:
        """Return the job as it was claimed, whether or not the claim is still valid."""
        return self._jobs.get(claim)

    def keep(self, job: Job, claim: JobClaim) -> None:
        self._jobs[claim] = job
        self._size += _size(job)
        while self._size > _MAX_SIZE:
            self.forget(next(iter(self._jobs)))

    def forget(self, claim: JobClaim) -> None:
        if job := self._jobs.pop(claim, None):
            self._size -= _size(job)


def _size(job: Job) -> int:
    return len(job.input) + _REST_OF_JOB
