"""The executors there are: made, shown with their health, retired."""

import msgspec

from teamspace import identity, jobs, tenancy
from teamspace.core import clock, text
from teamspace.core.db import Db, Duplicate, Reads, Tx
from teamspace.core.egress import Reach, Refused
from teamspace.core.errors import BadRequest, Conflict, NotFound
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.executors import access, store
from teamspace.executors.domain import stranded
from teamspace.executors.domain.fleet import Fleet, fingerprint, place
from teamspace.executors.domain.offers import offered_to, taken_by
from teamspace.executors.schemas import Draft, Executor, ExecutorRow, Health, Mode, NewExecutor, SeenRow

LOCAL_NAME = "local"
MOST = 50
"""Of one company, and as many that work for all."""


async def listing(db: Reads, who: Principal, fleet: Fleet) -> list[Executor]:
    """The server itself, those of the settings, then the others, newest first."""
    fence = access.everywhere() if who.operator else access.fence(who)
    return [await _local(db, fleet), *(_shown(row, who, fleet) for row in await fleet.select(db, fence))]


async def create(
    db: Db, who: Principal, fleet: Fleet, draft: Draft, org_ref: str | None, reach: Reach
) -> NewExecutor:  # fmt: skip
    """For one company, or for all of them when none is named."""
    name = text.name(draft.name, "name", most=80)
    capabilities = _capabilities(fleet, draft)
    await _check_mode(fleet, draft, reach)
    org_id = "" if org_ref is None else (await tenancy.find_company(db, org_ref)).id
    if name.casefold() in {LOCAL_NAME, *fleet.names}:
        raise _taken(name)
    async with db.write(who, "executor.create") as tx:
        token_id, token = await _token(tx, who, draft.mode, name)
        url = None if draft.url is None else draft.url.rstrip("/")
        row = ExecutorRow(
            new_id(), org_id, name, draft.mode, draft.model, capabilities, token_id, url, fingerprint(draft.key), reach,
            clock.stamp(), None,
        )  # fmt: skip
        tx.target, tx.detail = row.id, {"name": name, "mode": draft.mode, "org_id": org_id or None}
        await _insert(tx, row, draft.key)
    seen = SeenRow(**msgspec.structs.asdict(row), health=Health.NEW, running=0)
    return NewExecutor(**msgspec.structs.asdict(_shown(seen, who, fleet)), token=token)


async def retire(db: Db, who: Principal, fleet: Fleet, id: str) -> None:
    """Its token ends and what it holds goes back into the queue, in one commit: nothing it still sends will land."""
    if fleet.is_named(id):
        raise Conflict("This executor is set up in SERVICE_EXECUTORS: it ends when it is taken out there.")
    async with db.write(who, "executor.retire") as tx:
        tx.target = id
        row = await store.retire(tx, access.everywhere(), id)
        if row is None:
            raise NotFound()
        if row.token_id:
            await identity.revoke_token(tx, row.token_id)
        await fleet.queue.give_back(tx, id)
        await stranded.leave(tx, fleet, row)
        tx.after_commit(fleet.forget)


async def _check_mode(fleet: Fleet, draft: Draft, reach: Reach) -> None:
    if draft.mode is Mode.LOCAL:
        raise BadRequest.at("/mode", "must be pull or push: the local executor is there already")
    for name in ("url", "key"):
        if draft.mode is Mode.PULL and getattr(draft, name) is not None:
            raise BadRequest.at(f"/{name}", "belongs to push executors: a pull executor's workers come by themselves")
    if draft.mode is Mode.PUSH:
        if draft.url is None:
            raise BadRequest.at("/url", "is missing: a push executor is called there")
        try:
            await fleet.egress.vet(draft.url, reach)
        except Refused as fault:
            raise BadRequest.at("/url", str(fault)) from None


def _capabilities(fleet: Fleet, draft: Draft) -> list[str]:
    if draft.capabilities is None:
        return []
    offered = offered_to(draft.mode, fleet.queue.kinds)
    if unknown := sorted(set(draft.capabilities) - set(offered)):
        raise BadRequest.at("/capabilities", f"{unknown[0]} is not one of {', '.join(offered)}")
    return sorted(set(draft.capabilities))


async def _token(tx: Tx, who: Principal, mode: Mode, name: str) -> tuple[str | None, str | None]:
    if mode is Mode.PUSH:
        return None, None
    return await identity.issue_worker_token(tx, org_id=who.org_id, team_id=who.team_id, name=name)


async def _insert(tx: Tx, row: ExecutorRow, key: str | None) -> None:
    if await store.count(tx, row.org_id) >= MOST:
        raise Conflict(f"There are {MOST} executors already.")
    secret = None if key is None else tx.vault.seal(place(row.id), key.encode())
    try:
        await store.insert(tx, row, row.name.casefold(), tx.who.user_id, secret)
    except Duplicate:
        raise _taken(row.name) from None


def _taken(name: str) -> Conflict:
    return Conflict(f"There is an executor named {name} already.", at="/name")


async def _local(db: Reads, fleet: Fleet) -> Executor:
    pulse = fleet.pulse(jobs.LOCAL)
    return Executor(
        jobs.LOCAL, LOCAL_NAME, Mode.LOCAL, fleet.local.model if fleet.local else None,
        offered_to(Mode.LOCAL, fleet.queue.kinds), None,
        Health.DOWN if pulse.answers is False else Health.UP, None, await store.count_running(db, jobs.LOCAL), None,
        simulated=fleet.local is None,
    )  # fmt: skip


def _shown(row: SeenRow, who: Principal, fleet: Fleet) -> Executor:
    inside = who.operator or (row.org_id == who.org_id and who.holds(Permission.ORG_MANAGE))
    return Executor(
        row.id, row.name, row.mode, row.model, taken_by(row, fleet.queue.kinds), row.org_id or None, row.health, row.last_seen_at,
        row.running, row.created_at, row.url if inside else None, row.fingerprint if inside else None,
    )  # fmt: skip
