"""Create, list and retire executors."""

import msgspec

from teamspace import identity, jobs, tenancy
from teamspace.core import clock, text
from teamspace.core.db import Db, Duplicate, Reads, Tx
from teamspace.core.egress import EgressRefused, NetworkReach
from teamspace.core.errors import BadRequest, Conflict, NotFound
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.executors import access, store
from teamspace.executors.domain import rerouting
from teamspace.executors.domain.fleet import Fleet, fingerprint, secret_place
from teamspace.executors.domain.offers import accepted_kinds, offered_kinds
from teamspace.executors.schemas import (
    Executor,
    ExecutorDraft,
    ExecutorRow,
    ExecutorStatusRow,
    Health,
    Mode,
    NewExecutor,
)

LOCAL_NAME = "local"
MAX_EXECUTORS = 50
"""Per company, and for shared executors."""


async def listing(db: Reads, who: Principal, fleet: Fleet) -> list[Executor]:
    """List the local executor, those of the settings, then the others, newest first."""
    fence = access.operator_fence() if who.operator else access.fence(who)
    return [await _local_executor(db, fleet), *(_to_executor(row, who, fleet) for row in await fleet.select(db, fence))]


async def create(
    db: Db, who: Principal, fleet: Fleet, draft: ExecutorDraft, org_ref: str | None, reach: NetworkReach
) -> NewExecutor:  # fmt: skip
    """Create an executor for one company, or for all if `org_ref` is None."""
    name = text.clean_name(draft.name, "name", max_length=80)
    capabilities = _validate_capabilities(fleet, draft)
    await _check_mode(fleet, draft, reach)
    org_id = "" if org_ref is None else (await tenancy.find_company(db, org_ref)).id
    if name.casefold() in {LOCAL_NAME, *fleet.configured_names}:
        raise _name_taken(name)
    async with db.write(who, "executor.create") as tx:
        token_id, token = await _issue_token(tx, who, draft.mode, name)
        url = None if draft.url is None else draft.url.rstrip("/")
        row = ExecutorRow(
            new_id(), org_id, name, draft.mode, draft.model, capabilities, token_id, url, fingerprint(draft.key), reach,
            clock.stamp(), None,
        )  # fmt: skip
        tx.target, tx.detail = row.id, {"name": name, "mode": draft.mode, "org_id": org_id or None}
        await _insert(tx, row, draft.key)
    status = ExecutorStatusRow(**msgspec.structs.asdict(row), health=Health.NEW, running=0)
    return NewExecutor(**msgspec.structs.asdict(_to_executor(status, who, fleet)), token=token)


async def retire(db: Db, who: Principal, fleet: Fleet, id: str) -> None:
    """Revoke its token and requeue its jobs, in one commit: its claims become stale. Others may then take them."""
    if fleet.is_configured(id):
        raise Conflict("executors.configured")
    async with db.write(who, "executor.retire") as tx:
        tx.target = id
        row = await store.retire(tx, access.operator_fence(), id)
        if row is None:
            raise NotFound()
        if row.token_id:
            await identity.revoke_token(tx, row.token_id)
        await store.delete_model_roles_of(tx, id)
        await fleet.queue.return_all_of(tx, id)
        tx.after_commit(fleet.invalidate)
    await rerouting.reroute_retired(db, fleet, row)


async def _check_mode(fleet: Fleet, draft: ExecutorDraft, reach: NetworkReach) -> None:
    if draft.mode is Mode.LOCAL:
        raise BadRequest.at("/mode", "executors.mode")
    for name in ("url", "key"):
        if draft.mode is Mode.PULL and getattr(draft, name) is not None:
            raise BadRequest.at(f"/{name}", "executors.only_push")
    if draft.mode is Mode.PUSH:
        if draft.url is None:
            raise BadRequest.at("/url", "executors.url_required")
        try:
            await fleet.egress.verify(draft.url, reach)
        except EgressRefused as fault:
            raise BadRequest.at("/url", fault.key, **fault.params) from None


def _validate_capabilities(fleet: Fleet, draft: ExecutorDraft) -> list[str]:
    if draft.capabilities is None:
        return []
    offered = offered_kinds(draft.mode, fleet.queue.kinds)
    if unknown := sorted(set(draft.capabilities) - set(offered)):
        raise BadRequest.at("/capabilities", "executors.capability", capability=unknown[0], choices=", ".join(offered))
    return sorted(set(draft.capabilities))


async def _issue_token(tx: Tx, who: Principal, mode: Mode, name: str) -> tuple[str | None, str | None]:
    if mode is Mode.PUSH:
        return None, None
    return await identity.issue_worker_token(tx, org_id=who.org_id, team_id=who.team_id, name=name)


async def _insert(tx: Tx, row: ExecutorRow, key: str | None) -> None:
    if await store.count(tx, row.org_id) >= MAX_EXECUTORS:
        raise Conflict("executors.limit", limit=MAX_EXECUTORS)
    secret = None if key is None else tx.vault.encrypt(secret_place(row.id), key.encode())
    try:
        await store.insert(tx, row, row.name.casefold(), tx.who.user_id, secret)
    except Duplicate:
        raise _name_taken(row.name) from None


def _name_taken(name: str) -> Conflict:
    return Conflict("executors.name_taken", at="/name", name=name)


async def _local_executor(db: Reads, fleet: Fleet) -> Executor:
    tracker = fleet.health_of(jobs.LOCAL)
    return Executor(
        jobs.LOCAL, LOCAL_NAME, Mode.LOCAL, fleet.local.model if fleet.local else None,
        offered_kinds(Mode.LOCAL, fleet.queue.kinds), None,
        Health.DOWN if tracker.answers is False else Health.UP, None, await store.count_running(db, jobs.LOCAL), None,
        simulated=fleet.local is None,
    )  # fmt: skip


def _to_executor(row: ExecutorStatusRow, who: Principal, fleet: Fleet) -> Executor:
    is_manager = who.operator or (row.org_id == who.org_id and who.has_permission(Permission.ORG_MANAGE))
    return Executor(
        row.id, row.name, row.mode, row.model, accepted_kinds(row, fleet.queue.kinds), row.org_id or None, row.health, row.last_seen_at,
        row.running, row.created_at, row.url if is_manager else None, row.fingerprint if is_manager else None,
    )  # fmt: skip
