"""Where an executor takes jobs, and the news that somebody does."""

import time
from collections.abc import Iterable

from teamspace import jobs
from teamspace.core.db import Db
from teamspace.executors.schemas import ExecutorRow, Mode

_NOTE_EVERY = 15.0
"""Seconds between two notes of the same presence."""
_MOST_NOTED = 10_000


class Presence:
    """Who asked for work lately, so that most times it need not be written down."""

    def __init__(self) -> None:
        self._due: dict[tuple[str, ...], float] = {}

    async def note(
        self, db: Db, queue: jobs.Queue, executor_id: str, places: tuple[str, ...], org_id: str
    ) -> bool:  # fmt: skip
        """Whether it was written down this time."""
        key, now = (executor_id, *places), time.monotonic()
        if now < self._due.get(key, 0.0):
            return False
        if len(self._due) > _MOST_NOTED:  # workers name their models themselves
            self._due.clear()
        self._due[key] = now + _NOTE_EVERY
        await queue.seen(db, places, org_id)
        return True


def places(executor: ExecutorRow, kinds: Iterable[str], models: Iterable[str]) -> tuple[str, ...]:
    """Jobs that name this executor, that name one of its models, and that name neither."""
    return tuple(
        place
        for kind in kinds
        for place in (
            jobs.executor_place(kind, executor.id),
            jobs.any_place(kind),
            *([jobs.push_place(kind)] if executor.mode is Mode.PUSH else ()),
            *(jobs.model_place(kind, model) for model in models),
        )
    )
