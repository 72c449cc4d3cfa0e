"""Which kinds of jobs an executor takes."""

from teamspace import jobs
from teamspace.executors.schemas import ExecutorRow, Mode


def offered_to(mode: Mode, kinds: jobs.Kinds) -> list[str]:
    """To a worker whatever is offered to workers, to a model server what is done here."""
    if mode is Mode.LOCAL:
        return sorted(kind.name for kind in kinds if kind.handler)
    return sorted(kind.name for kind in kinds if kind.row.remote and (kind.handler or mode is Mode.PULL))


def taken_by(executor: ExecutorRow, kinds: jobs.Kinds) -> list[str]:
    """Asked at every claim: one that was made for all kinds takes those that came later, too."""
    return executor.capabilities or offered_to(executor.mode, kinds)
