"""The executors there are: made, shown with their health, retired."""

import msgspec

from teamspace import identity, jobs, tenancy
from teamspace.core import clock, text
from teamspace.core.db import Db, Duplicate, Reads
from teamspace.core.errors import BadRequest, Conflict, NotFound
from teamspace.core.ids import new_id
from teamspace.core.principal import Principal
from teamspace.executors import access, store
from teamspace.executors.schemas import Draft, Executor, ExecutorRow, Health, Mode, NewExecutor

LOCAL_NAME = "local"


async def listing(db: Reads, who: Principal, queue: jobs.Queue) -> list[Executor]:
    """The server itself, then the others, newest first."""
    fence = access.everywhere() if who.operator else access.fence(who)
    own = Executor(
        jobs.LOCAL, LOCAL_NAME, Mode.LOCAL, None, _kinds(queue, remote=False), None, Health.UP, None, 0, None
    )
    return [own, *(_shown(row, row.health, row.running) for row in await store.select(db, fence))]


async def create(db: Db, who: Principal, queue: jobs.Queue, draft: Draft, org_ref: str | None) -> NewExecutor:
    """For one company, or for all of them when none is named."""
    name = text.name(draft.name, "name", most=80)
    if draft.mode is Mode.LOCAL:
        raise BadRequest.at("/mode", "must be pull: the local executor is there already")
    capabilities = _checked(queue, draft.capabilities)
    org_id = "" if org_ref is None else (await tenancy.find_company(db, org_ref)).id
    async with db.write(who, "executor.create") as tx:
        token_id, token = await identity.issue_worker_token(tx, org_id=who.org_id, team_id=who.team_id, name=name)
        row = ExecutorRow(
            new_id(), org_id, name, draft.mode, draft.model, capabilities, token_id, clock.stamp(), None
        )  # fmt: skip
        tx.target, tx.detail = row.id, {"name": name, "mode": draft.mode, "org_id": org_id or None}
        try:
            await store.insert(tx, row, name.casefold(), who.user_id)
        except Duplicate:
            raise Conflict(f"There is an executor named {name} already.") from None
    return NewExecutor(**msgspec.structs.asdict(_shown(row, Health.NEW, 0)), token=token)


async def retire(db: Db, who: Principal, queue: jobs.Queue, id: str) -> None:
    """Its token ends and what it holds goes back into the queue, in one commit: nothing it still sends will land."""
    async with db.write(who, "executor.retire") as tx:
        tx.target = id
        row = await store.retire(tx, access.everywhere(), id)
        if row is None:
            raise NotFound()
        if row.token_id:
            await identity.revoke_token(tx, row.token_id)
        await queue.give_back(tx, id)


def _checked(queue: jobs.Queue, capabilities: list[str] | None) -> list[str]:
    offered = _kinds(queue, remote=True)
    if capabilities is None:
        return offered
    if unknown := sorted(set(capabilities) - set(offered)):
        raise BadRequest.at("/capabilities", f"{unknown[0]} is not one of {', '.join(offered)}")
    return sorted(set(capabilities))


def _kinds(queue: jobs.Queue, *, remote: bool) -> list[str]:
    return sorted(kind.name for kind in queue.kinds if kind.row.remote or not remote)


def _shown(row: ExecutorRow, health: Health, running: int) -> Executor:
    return Executor(
        row.id, row.name, row.mode, row.model, row.capabilities, row.org_id or None, health, row.last_seen_at, running,
        row.created_at,
    )  # fmt: skip
