"""Which channels executors serve, recorded when their workers poll."""

import time
from collections.abc import Iterable

from teamspace import jobs
from teamspace.core.db import Db
from teamspace.executors.schemas import ExecutorRow, Mode

_RECORD_EVERY = 15.0
"""Seconds between two writes for the same executor and channels."""
_MAX_RECORDED = 10_000


class Presence:
    """Remembers who polled recently, so that most polls write nothing."""

    def __init__(self) -> None:
        self._due: dict[tuple[str, ...], float] = {}

    async def record(
        self, db: Db, queue: jobs.Queue, executor_id: str, channels: tuple[str, ...], org_id: str
    ) -> bool:  # fmt: skip
        """Record that the executor serves these channels; return whether this call wrote to the database."""
        key, now = (executor_id, *channels), time.monotonic()
        if now < self._due.get(key, 0.0):
            return False
        if len(self._due) > _MAX_RECORDED:  # workers choose model names freely
            self._due.clear()
        self._due[key] = now + _RECORD_EVERY
        await queue.register_channels(db, channels, org_id)
        return True


def channels_of(executor: ExecutorRow, kinds: Iterable[str], models: Iterable[str]) -> tuple[str, ...]:
    """Return the channels of jobs that name this executor, one of its models, or neither."""
    return tuple(
        channel
        for kind in kinds
        for channel in (
            jobs.executor_channel(kind, executor.id),
            jobs.any_channel(kind),
            *([jobs.push_channel(kind)] if executor.mode is Mode.PUSH else ()),
            *(jobs.model_channel(kind, model) for model in models),
        )
    )
