"""Which job kinds an executor takes."""

from teamspace import jobs
from teamspace.executors.schemas import ExecutorRow, Mode


def offered_kinds(mode: Mode, kinds: jobs.Kinds) -> list[str]:
    """Return the kinds that executors of a mode can run: pull all remote kinds, push those with a handler here."""
    if mode is Mode.LOCAL:
        return sorted(kind.name for kind in kinds if kind.handler)
    return sorted(kind.name for kind in kinds if kind.row.remote and (kind.handler or mode is Mode.PULL))


def accepted_kinds(executor: ExecutorRow, kinds: jobs.Kinds) -> list[str]:
    """Return the kinds an executor takes. Evaluated at every claim: an executor for all kinds takes future ones too."""
    return executor.capabilities or offered_kinds(executor.mode, kinds)
