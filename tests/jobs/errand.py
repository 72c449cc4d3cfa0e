"""A job kind for tests: it uses no quota, and any worker can run it."""

import msgspec

from teamspace.core.db import Tx
from teamspace.core.tables import JobSpec
from teamspace.jobs import EndedJob, Outcome

JOBS = (JobSpec("test.errand", "run", "Something that is not metered.", callable=True, remote=True, ended="ended"),)
ENDED: list[tuple[str, str]] = []
"""The jobs that have ended, and how, in the order of their commits."""


class Errand(msgspec.Struct, frozen=True):
    prompt: str = ""
    model: str | None = None


class Done(msgspec.Struct, frozen=True):
    text: str


async def run(input: Errand) -> Done:
    return Done(input.prompt)


async def ended(tx: Tx, job: EndedJob, outcome: Outcome) -> None:
    tx.after_commit(lambda: ENDED.append((job.id, type(outcome).__name__)))
