"""Which tests stay on one pytest-xdist worker, since they share something expensive, and which start first.

`--dist loadgroup` groups by marks, but pytest 9.2 ignores them: pytest-xdist 3.8 adds the group to a private field of the
test that pytest no longer reads.
"""

import re
from typing import Any

from xdist.scheduler import LoadScopeScheduling

_LONGEST = ("console", "isolation", "s3", "durability", "ops", "cost", "server", "contract", "repository", "core")
"""The folders that start first, so that no worker is left alone with a long one."""
_VARIANTS = ("postgres", "tls", "hosted")
"""Parameters that name an instance; without one, it is on SQLite."""


class Grouped(LoadScopeScheduling):
    """Gives a worker a whole group at a time, in the order of the collection."""

    def __init__(self, config: Any, log: Any) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def group_of(nodeid: str) -> str:
    """The name of a test's group: its file, or the instance that it shares with tests of other files."""
    file = nodeid.partition("::")[0]
    folder = _folder(nodeid)
    if folder in ("isolation", "s3"):
        return f"{folder} {_variant(nodeid)}"
    if folder == "architecture":
        return folder
    if folder in ("sandbox", "oop"):  # fork bombs and other attacks, one at a time
        return "sandbox"
    if folder != "console" or file.endswith("accessibility.py"):
        return file
    if _variant(nodeid) == "postgres":
        return "console postgres"
    # The most tests; one worker would take longer with them than the others with all the rest.
    return "console first" if file < "tests/console/test_jobs" else "console second"


def rank(nodeid: str) -> int:
    """The position of a test's folder among those that start first."""
    folder = _folder(nodeid)
    return _LONGEST.index(folder) if folder in _LONGEST else len(_LONGEST)


def _folder(nodeid: str) -> str:
    return nodeid.split("/")[1] if nodeid.startswith("tests/") else ""


def _variant(nodeid: str) -> str:
    parameters = re.split(r"[-\[\]]", nodeid)
    return next((name for name in _VARIANTS if name in parameters), "sqlite")
