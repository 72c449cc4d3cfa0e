"""Where a version comes from. It cuts loops: no trigger fires on a version in whose ancestry it already fired.

Every derived version has its ancestry stored, computed from that of its sources and of the run that wrote it. So the
cost of one more does not depend on how many there are before it.
"""

from collections.abc import Iterable

from teamspace.core.db import Tx
from teamspace.repository import VersionWritten
from teamspace.triggers import store
from teamspace.triggers.schemas import MAX_ANCESTORS, MAX_DEPTH, Ancestry, FireReason, TriggerPattern, Unfired

_MAX_RESUMED = 20
"""How many times a run that a trigger started can be resumed, and its outputs still be known as such."""


def is_derived(event: VersionWritten) -> bool:
    return event.run_id is not None or bool(event.derived_from)


async def find(tx: Tx, event: VersionWritten) -> Ancestry:
    """Return the ancestry of a version that was just written; that of an upload is empty."""
    if not is_derived(event):
        return Ancestry()
    parents = await store.select_source_ancestry(tx, event.object_id, event.number) if event.derived_from else []
    if event.run_id and (run := await store.get_run_ancestry(tx, event.run_id, _MAX_RESUMED)):
        parents.append(run)
    return _join(1 + max((parent.depth for parent in parents), default=0), *(parent.triggers for parent in parents))


def find_loop(trigger: TriggerPattern, ancestry: Ancestry) -> Unfired | None:
    """Return why a trigger must not fire on a version with this ancestry."""
    if ancestry.depth and not trigger.fire_on_derived:
        return Unfired.because(FireReason.DERIVED, "triggers.derived")
    if trigger.id in ancestry.triggers:
        return Unfired.because(FireReason.LOOP, "triggers.loop")
    if ancestry.depth > MAX_DEPTH:
        return Unfired.because(FireReason.LOOP_DEPTH, "triggers.loop_depth", limit=MAX_DEPTH)
    return None


async def keep(tx: Tx, event: VersionWritten, ancestry: Ancestry, fired: dict[str, str]) -> None:
    """Store the ancestry of a version, and of the runs that were started on it, by trigger."""
    if not ancestry.depth and not fired:
        return
    complete = _join(ancestry.depth, ancestry.triggers, fired)
    await store.insert_ancestry(tx, tx.who.org_id, event.object_id, event.number, complete)
    if fired:
        await store.insert_run_ancestry(tx, tx.who.org_id, list(fired.values()), complete)


def _join(depth: int, *groups: Iterable[str]) -> Ancestry:
    triggers = tuple(dict.fromkeys(trigger for group in groups for trigger in group))
    if len(triggers) > MAX_ANCESTORS:
        return Ancestry(MAX_DEPTH + 1, triggers[:MAX_ANCESTORS])
    return Ancestry(depth, triggers)
