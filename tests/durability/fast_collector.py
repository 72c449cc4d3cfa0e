"""`python -m tests.durability.fast_collector serve`: the server, with a garbage collector that runs all the time.

An unreferenced blob is kept for `RETENTION` seconds instead of a day. On a machine that is slower than that, uploads
lose bytes that a normal server would have kept.
"""

import os
from functools import partial

from teamspace import app, blobs, cli
from teamspace.blobs.domain import storing

RETENTION = 8
INTERVAL = 0.25

_repeat = app._repeat


async def _repeat_fast(server: app.App, chore: app.Chore) -> None:
    collects = isinstance(chore.run, partial) and chore.run.func is blobs.collect
    await _repeat(server, chore._replace(seconds=INTERVAL) if collects else chore)


if __name__ in ("__main__", "__mp_main__"):  # the second in the processes that a supervisor starts
    storing.UNREFERENCED_SECONDS = RETENTION
    os.environ["SERVICE_BLOB_RETENTION"] = str(RETENTION)
    app._repeat = _repeat_fast

if __name__ == "__main__":
    cli.main()
