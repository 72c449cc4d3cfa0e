"""Create, change and delete triggers."""

from typing import Any

import msgspec
from msgspec import UNSET

from teamspace import events
from teamspace.core import clock
from teamspace.core.db import Db, Tx
from teamspace.core.errors import BadRequest, Conflict, NotFound
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.events import Change, Readers
from teamspace.quota import QuotaAccount
from teamspace.triggers import access, store
from teamspace.triggers.access import TRIGGER
from teamspace.triggers.domain import matching, starting
from teamspace.triggers.domain.conditions import get_ai_remaining
from teamspace.triggers.schemas import (
    MAX_INPUT,
    MAX_TRIGGERS,
    AiRemaining,
    Trigger,
    TriggerChange,
    TriggerDraft,
    TriggerRow,
)
from teamspace.workflows import Catalog


async def create(db: Db, who: Principal, catalog: Catalog, draft: TriggerDraft) -> Trigger:
    now = clock.stamp()
    row = TriggerRow(
        id=new_id(), workflow_slug=draft.workflow_slug, match_prefix=matching.check_prefix(draft.match_prefix),
        match_types=matching.clean_types(draft.match_types), fire_on_derived=draft.fire_on_derived,
        enabled=draft.enabled, author_id=who.user_id, scope=_scope(who), org_id=who.org_id, team_id=who.team_id,
        input=_check_input(draft.input), created_at=now, updated_at=now,
    )  # fmt: skip
    await starting.check(db, who, catalog, row.workflow_slug, row.input)
    async with db.write(who, "trigger.create") as tx:
        await tx.lock("triggers", who.team_id)
        if await store.count(tx, who.team_id) >= MAX_TRIGGERS:
            raise Conflict("triggers.limit", limit=MAX_TRIGGERS)
        await store.insert(tx, row)
        await _record(tx, row, Change.CREATED)
    return to_trigger(row, await get_ai_remaining(db, QuotaAccount.of(who)))


async def update(db: Db, who: Principal, catalog: Catalog, trigger_id: str, change: TriggerChange) -> Trigger:
    """Change the given fields. Whoever changes what it does, or turns it on, is its author from then on."""
    changes = _given(change)
    if not changes:
        raise BadRequest("triggers.nothing")
    before = await find(db, who, trigger_id, P.WORKFLOWS_WRITE)
    if changes != {"enabled": False}:
        changes |= {"author_id": who.user_id, "scope": _scope(who)}
        after = msgspec.structs.replace(before, **changes)
        await starting.check(db, who, catalog, after.workflow_slug, after.input)
    fence = access.fence(who, P.WORKFLOWS_WRITE)
    async with db.write(who, "trigger.update") as tx:
        row = await store.lock(tx, fence, trigger_id)
        if row is None:
            raise NotFound()
        row = msgspec.structs.replace(row, **changes, updated_at=clock.stamp())
        await store.update(tx, fence, row)
        await _record(tx, row, Change.UPDATED)
    return to_trigger(row, await get_ai_remaining(db, QuotaAccount.of(who)))


async def delete(db: Db, who: Principal, trigger_id: str) -> None:
    """Delete a trigger and its history. Runs that it started stay."""
    fence = access.fence(who, P.WORKFLOWS_WRITE)
    async with db.write(who, "trigger.delete") as tx:
        row = await store.lock(tx, fence, trigger_id)
        if row is None:
            raise NotFound()
        await store.delete(tx, fence, trigger_id)
        await _record(tx, row, Change.DELETED)


async def find(db: Db, who: Principal, trigger_id: str, permission: P) -> TriggerRow:
    row = await store.get(db, access.fence(who, permission), trigger_id)
    if row is None:
        raise NotFound()
    return row


def to_trigger(row: TriggerRow, remaining: AiRemaining) -> Trigger:
    return Trigger(**to_fields(row), ai_remaining=remaining)


def to_fields(row: TriggerRow) -> dict[str, Any]:
    """Return the fields that every response about a trigger has."""
    return {
        "id": row.id, "workflow_slug": row.workflow_slug, "match_prefix": row.match_prefix,
        "match_types": row.match_types, "input": row.input, "fire_on_derived": row.fire_on_derived,
        "enabled": row.enabled, "author": row.author_id, "created_at": row.created_at, "updated_at": row.updated_at,
    }  # fmt: skip


def _given(change: TriggerChange) -> dict[str, Any]:
    given = {name: value for name, value in msgspec.structs.asdict(change).items() if value is not UNSET}
    if "match_prefix" in given:
        given["match_prefix"] = matching.check_prefix(given["match_prefix"])
    if "match_types" in given:
        given["match_types"] = matching.clean_types(given["match_types"])
    if "input" in given:
        given["input"] = _check_input(given["input"])
    return given


def _check_input(input: dict[str, Any]) -> dict[str, Any]:
    if len(msgspec.json.encode(input)) > MAX_INPUT:
        raise BadRequest.at("/input", "value.max_bytes", limit=MAX_INPUT)
    return input


def _scope(who: Principal) -> tuple[str, ...] | None:
    return None if who.scope is None else tuple(map(str, who.scope))


async def _record(tx: Tx, row: TriggerRow, change: Change) -> None:
    tx.target = row.id
    tx.detail = {"workflow": row.workflow_slug, "prefix": row.match_prefix, "enabled": row.enabled}
    readers = [Readers.role(row.team_id)] if change is Change.DELETED else []
    await events.record(
        tx, TRIGGER.kind, row.id, change=change, org_id=row.org_id, team_id=row.team_id, readers=readers
    )
