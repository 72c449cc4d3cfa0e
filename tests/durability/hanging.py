"""`python -m tests.durability.hanging serve`: the server of `halting`, which takes a process for hung after five seconds,
and a commit after two."""

from teamspace import cli
from teamspace.core import heartbeats
from teamspace.server import Supervisor
from tests.durability import halting

if __name__ in ("__main__", "__mp_main__"):
    halting.prepare()
    Supervisor.SILENT_CHECKS = 5
    heartbeats.COMMIT_SECONDS = 2.0

if __name__ == "__main__":
    cli.main()
