"""List triggers, test what they would do, and show their history."""

from functools import partial

from teamspace import repository
from teamspace.core import paging
from teamspace.core.db import Db, in_batches
from teamspace.core.errors import BadRequest
from teamspace.core.messages import render
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.quota import QuotaAccount
from teamspace.repository import naming
from teamspace.triggers import access, store
from teamspace.triggers.domain import matching, starting, triggers
from teamspace.triggers.domain.conditions import Conditions, get_ai_remaining
from teamspace.triggers.schemas import (
    KEPT_FIRES,
    Fire,
    FireQuery,
    FireReason,
    FireSummary,
    TriggerDetail,
    TriggerItem,
    TriggerQuery,
    TriggerRow,
    Unfired,
    VisibleFire,
)

_BATCH = 500


async def list_triggers(db: Db, who: Principal, query: TriggerQuery) -> list[TriggerItem]:
    """Return the team's triggers, newest first; with a key, whether an upload by the caller would fire them."""
    rows = await store.select(db, access.fence(who, P.WORKFLOWS_READ))
    remaining = await get_ai_remaining(db, QuotaAccount.of(who))
    test = _DryTest(db, who, query)
    items = []
    for row in rows:
        reason = await test.find_reason(row) if test.is_wanted else None
        would_fire = reason is None if test.is_wanted else None
        items.append(
            TriggerItem(**triggers.to_fields(row), ai_remaining=remaining, would_fire=would_fire, reason=reason)
        )
    return items


class _DryTest:
    """An upload that is not made, and what it would do now."""

    def __init__(self, db: Db, who: Principal, query: TriggerQuery) -> None:
        if query.key is None and query.content_type is not None:
            raise BadRequest.at("key", "value.empty")
        self.is_wanted = query.key is not None
        self._key = naming.validate_key(query.key) if query.key is not None else ""
        filename = naming.choose_filename(None, self._key)
        self._type = naming.parse_content_type(query.content_type or "", filename)
        self._conditions = Conditions(db, who, who.team_id)
        self._definitions = starting.Definitions(db, who.team_id)

    async def find_reason(self, row: TriggerRow) -> Unfired | None:
        """Return why the upload would not fire the trigger."""
        if not row.enabled:
            return Unfired.because(FireReason.DISABLED, "triggers.disabled")
        if mismatch := matching.find_mismatch(row, self._key, self._type):
            return mismatch
        if obstacle := await self._conditions.find_obstacle(row, self._key):
            return obstacle
        prepared = await self._definitions.prepare(row.workflow_slug, row.input, row.id)
        return prepared if isinstance(prepared, Unfired) else None


async def get(db: Db, who: Principal, trigger_id: str, query: FireQuery) -> TriggerDetail:
    """Return a trigger with a page of its history."""
    row = await triggers.find(db, who, trigger_id, P.WORKFLOWS_READ)
    remaining = await get_ai_remaining(db, QuotaAccount.of(who))
    fires = await store.select_fires(
        db, repository.read_fence(who, across_org=True), row.id, query.before, query.size + 1
    )
    page = paging.page(fires, query, lambda fire: fire.id)
    return TriggerDetail(
        **triggers.to_fields(row), ai_remaining=remaining, history=[_to_fire(fire) for fire in page.items],
        next_cursor=page.next_cursor,
    )  # fmt: skip


def _to_fire(row: VisibleFire) -> Fire | FireSummary:
    if not row.readable:
        return FireSummary(reason=row.reason, at=row.created_at)
    params = row.params or {}
    return Fire(
        object_id=row.object_id, version=row.number, run_id=row.run_id, reason=row.reason,
        message=None if row.key is None else render(row.key, params), key=row.key, params=params, at=row.created_at,
    )  # fmt: skip


async def tidy(db: Db) -> None:
    """Delete old history: only the newest rows of each trigger are kept."""
    after, batch = "", [""]
    while batch:
        batch = await store.select_ids_after(db, after, _BATCH)
        for trigger_id in batch:
            if await store.has_more_fires(db, trigger_id, KEPT_FIRES):
                await in_batches(db, partial(store.delete_old_fires, trigger_id=trigger_id, keep=KEPT_FIRES))
        after = batch[-1] if batch else ""
