"""Fire the triggers of a version, in the transaction that writes it: version and runs are stored together or not at all.

A trigger never costs the upload. One that cannot start is a row of its history with the reason; so is one that fails,
which loses only its own changes. A conflict or an outage of the database is different: it fails the upload.
"""

import logging
from collections.abc import Sequence
from typing import Any

import msgspec

from teamspace import events, workflows
from teamspace.core import clock
from teamspace.core.db import Tx, is_outage
from teamspace.core.ids import new_id
from teamspace.events import Change
from teamspace.jobs import Queue
from teamspace.repository import VersionWritten
from teamspace.triggers import store
from teamspace.triggers.access import TRIGGER
from teamspace.triggers.domain import ancestry, matching, starting
from teamspace.triggers.domain.conditions import Conditions
from teamspace.triggers.schemas import Ancestry, FireReason, FireRow, TriggerPattern, Unfired
from teamspace.workflows import RunOrder

log = logging.getLogger("teamspace.triggers")
MAX_JOBS = 1000
"""That the triggers of one upload begin with: they are written in its transaction, which others wait for."""
_Matched = tuple[TriggerPattern, dict[str, Any]]
"""A trigger that matches the version, and its input."""


async def fire(tx: Tx, queue: Queue, event: VersionWritten) -> None:
    """Evaluate the triggers of the object's team."""
    triggers = await store.select_enabled(tx, event.team_id)
    matched = {
        trigger.id: trigger
        for trigger in triggers
        if matching.find_mismatch(trigger, event.key, event.content_type) is None
    }
    origin = await ancestry.find(tx, event)
    fired = await _Upload(tx, queue, event, origin).fire(matched) if matched else {}
    await ancestry.keep(tx, event, origin, fired)


class _Upload:
    """A version that was just written, and the conditions under which its triggers fire."""

    def __init__(self, tx: Tx, queue: Queue, event: VersionWritten, origin: Ancestry) -> None:
        self._tx, self._queue, self._event, self._origin = tx, queue, event, origin
        self._conditions = Conditions(tx, tx.who, event.team_id)
        self._definitions = starting.Definitions(tx, event.team_id)
        self._jobs = 0

    async def fire(self, matched: dict[str, TriggerPattern]) -> dict[str, str]:
        """Fire the triggers; return the runs that were started, by trigger."""
        tx, given = self._tx, await store.lock_inputs(self._tx, list(matched))
        outcomes = await self._attempt_all([(matched[each.id], each.input) for each in given])
        fired = {trigger_id: outcome for trigger_id, outcome in outcomes.items() if isinstance(outcome, str)}
        await store.insert_fires(tx, [self._to_row(trigger_id, outcome) for trigger_id, outcome in outcomes.items()])
        await events.record(
            tx, TRIGGER.kind, *outcomes, change=Change.UPDATED, org_id=tx.who.org_id,
            team_id=self._event.team_id,
        )  # fmt: skip
        if fired:
            tx.detail["runs"] = list(fired.values())
        return fired

    async def _attempt_all(self, triggers: Sequence[_Matched]) -> dict[str, str | Unfired]:
        """Return for each trigger the run that was started, or why there is none.

        All are started together, which costs as many statements as one. If that fails, each is started on its own, so
        that the one to blame costs the others nothing.
        """
        try:
            async with self._tx.savepoint():
                return await self._start(triggers)
        except Exception as fault:
            if is_outage(fault):
                raise
            log.exception("triggers of the version %s failed", self._event.version_id)
            self._jobs = 0
        return {trigger.id: await self._attempt(trigger, input) for trigger, input in triggers}

    async def _attempt(self, trigger: TriggerPattern, input: dict[str, Any]) -> str | Unfired:
        """Return the run that was started, or why there is none. A failure leaves nothing behind."""
        before = self._jobs
        try:
            async with self._tx.savepoint():
                return (await self._start([(trigger, input)]))[trigger.id]
        except Exception as fault:
            if is_outage(fault):
                raise
            log.exception("trigger %s failed", trigger.id)
            self._jobs = before
            return Unfired.because(FireReason.INTERNAL_ERROR, "triggers.internal_error")

    async def _start(self, triggers: Sequence[_Matched]) -> dict[str, str | Unfired]:
        found = {trigger.id: self._bound(await self._evaluate(trigger, input)) for trigger, input in triggers}
        orders = [order for order in found.values() if isinstance(order, RunOrder)]
        run_ids = iter(await workflows.start_many(self._tx, self._queue, orders))
        return {id: each if isinstance(each, Unfired) else next(run_ids) for id, each in found.items()}

    def _bound(self, order: RunOrder | Unfired) -> RunOrder | Unfired:
        """Return why a run does not start, if there would be too many jobs; one trigger alone can always fire."""
        if isinstance(order, Unfired):
            return order
        jobs, before = workflows.count_jobs(order.prepared), self._jobs
        if before and before + jobs > MAX_JOBS:
            return Unfired.because(FireReason.TOO_MANY_JOBS, "triggers.too_many_jobs", count=before, limit=MAX_JOBS)
        self._jobs += jobs
        return order

    async def _evaluate(self, trigger: TriggerPattern, input: dict[str, Any]) -> RunOrder | Unfired:
        """Return the run to start, or why there is none."""
        if loop := ancestry.find_loop(trigger, self._origin):
            return loop
        if obstacle := await self._conditions.find_obstacle(trigger, self._event.key):
            return obstacle
        prepared = await self._definitions.prepare(trigger.workflow_slug, input, self._event.object_id)
        if isinstance(prepared, Unfired):
            return prepared
        author = await self._conditions.find_author(trigger)
        assert author is not None
        return RunOrder(
            authority=self._conditions.authority(author), prepared=prepared, locale=workflows.locale_of(self._tx.who),
            trigger_id=trigger.id, objects=(self._event.object_id,),
        )  # fmt: skip

    def _to_row(self, trigger_id: str, outcome: str | Unfired) -> FireRow:
        event, org_id, now = self._event, self._tx.who.org_id, clock.stamp()
        row = FireRow(
            new_id(), trigger_id, org_id, event.object_id, event.version_id, event.number, None, None, None, None, now
        )
        if isinstance(outcome, str):
            return msgspec.structs.replace(row, run_id=outcome)
        return msgspec.structs.replace(row, reason=outcome.code, key=outcome.key, params=outcome.params)
