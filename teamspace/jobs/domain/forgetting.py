"""Empties jobs of the texts that a person has deleted. That there was a job, whose it was and what it cost stays."""

from typing import Any

import msgspec

from teamspace.core import idempotency
from teamspace.core.db import Tx
from teamspace.core.ids import new_id
from teamspace.jobs import store
from teamspace.jobs.domain.queue import Queue
from teamspace.jobs.schemas import JobFault, JobTexts

_SETTLED_SECONDS = 5.0
"""So long after the end of a job, whoever waits for it has read its result."""


class _Kept(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept of a result."""

    usage: dict[str, Any] = {}


_RESULT = msgspec.json.Decoder(_Kept)


def made_for(job_id: str, call: str) -> str:
    """Return the run of jobs that are made for a call, by which `forget` finds them."""
    return f"{job_id}:{call}"


def repeating(run_id: str) -> str:
    """Return the run of a job that repeats one of this run, by which `forget` finds it too."""
    return made_for(run_id.partition(":")[0], new_id())


async def stop(tx: Tx, queue: Queue, job_id: str) -> bool:
    """Have a job and those that were made for it end; return whether all have, some seconds ago or earlier."""
    # In the order of their ids, like everyone who locks several jobs: it is older than those that were made for it.
    await queue.request_stop(tx, job_id)
    for queued in sorted(await store.select_queued(tx, job_id, *_span(job_id))):
        await queue.cancel(tx, queued)
    return not await store.is_open(tx, job_id, *_span(job_id), since=_SETTLED_SECONDS)


async def forget(tx: Tx, job_id: str) -> None:
    """Empty a job that has ended, and those that were made for it and for its calls: up to some dozen."""
    found = await store.select_texts(tx, job_id, *_span(job_id))
    await store.replace_texts(tx, [JobTexts(job.id, _without_text(job.result), _to_code(job.error)) for job in found])
    await idempotency.forget_responses(tx, job_id, *(job.id for job in found))


def _span(job_id: str) -> tuple[str, str]:
    """Return what is before and after the runs that `made_for` returns."""
    return f"{job_id}:", f"{job_id};"


def _without_text(result: str | None) -> str | None:
    return None if result is None else msgspec.json.encode(_RESULT.decode(result)).decode()


def _to_code(error: str | None) -> str | None:
    if error is None:
        return None
    code = msgspec.json.decode(error, type=JobFault).code
    return msgspec.json.encode(JobFault.keyed("jobs.text_deleted", code, retryable=False)).decode()
