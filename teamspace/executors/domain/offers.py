"""Which job kinds an executor takes."""

from teamspace import jobs
from teamspace.executors.schemas import ExecutorRow, Mode


def offered_kinds(mode: Mode, kinds: jobs.Kinds) -> list[str]:
    """Return the kinds that executors of a mode can run: pull all remote kinds, push those with a handler here."""
    return sorted(kind.name for kind in kinds if _can_run(mode, kind))


def accepted_kinds(executor: ExecutorRow, kinds: jobs.Kinds) -> list[str]:
    """Return the kinds an executor takes. Evaluated at every claim: an executor for all kinds takes future ones too."""
    return executor.capabilities or offered_kinds(executor.mode, kinds)


def accepts(executor: ExecutorRow, name: str, kinds: jobs.Kinds) -> bool:
    """Whether a kind is among those that an executor takes."""
    if executor.capabilities:
        return name in executor.capabilities
    kind = kinds.get(name)
    return kind is not None and _can_run(executor.mode, kind)


def _can_run(mode: Mode, kind: jobs.BoundKind) -> bool:
    if mode is Mode.LOCAL:
        return kind.handler is not None
    return kind.row.remote and (kind.handler is not None or mode is Mode.PULL)
