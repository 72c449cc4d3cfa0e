"""`python -m tests.durability.hurried serve`: the server, with a collector that works without pause and spares little.

A blob has `GRACE` seconds until a row names it, where it has a day elsewhere, and after the last row is gone: whoever is slower than that, because the
machine is, loses bytes that a patient server would have kept.
"""

import os
from collections.abc import Awaitable, Callable
from functools import partial

from teamspace import app, blobs, cli
from teamspace.blobs.domain import storing
from teamspace.core.db import Db

GRACE = 8
EVERY = 0.25

_repeat = app._repeat


async def _hurried(db: Db, interval: float, task: Callable[[], Awaitable[object]]) -> None:
    collects = isinstance(task, partial) and task.func is blobs.collect
    await _repeat(db, EVERY if collects else interval, task)


if __name__ == "__main__":
    storing.UNREFERENCED_SECONDS = GRACE
    os.environ["SERVICE_BLOB_RETENTION"] = str(GRACE)
    app._repeat = _hurried
    cli.main()
