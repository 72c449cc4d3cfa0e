"""Roles of models: the executor that a team has chosen for each, and who would answer now."""

import msgspec

from teamspace import jobs
from teamspace.core import clock
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import BadRequest, NoExecutor
from teamspace.core.principal import Principal
from teamspace.executors import store
from teamspace.executors.domain import choosing
from teamspace.executors.domain.choosing import Answerer
from teamspace.executors.domain.fleet import Fleet
from teamspace.executors.schemas import (
    AnsweringModel,
    ModelReport,
    ModelRole,
    ModelRoles,
    Reason,
    RoleChoices,
    RoleExecutors,
    RoleModel,
)


async def get(db: Reads, who: Principal, fleet: Fleet) -> ModelRoles:
    names = {one.id: one.name for one in await choosing.list_answerers(db, who, fleet)}
    chosen = {row.role: names.get(row.executor_id) for row in await store.select_model_roles(db, who.team_id)}
    defaults = {role: name or None for role, name in fleet.role_defaults.items()}
    return ModelRoles(
        RoleExecutors(**{role: chosen.get(role) for role in ModelRole}),
        RoleExecutors(**{role: defaults[role] for role in ModelRole}),
    )


async def change(db: Db, who: Principal, fleet: Fleet, choices: RoleChoices) -> ModelRoles:
    """Choose the executors of the given roles; the others stay."""
    given = {
        ModelRole(role): name for role, name in msgspec.structs.asdict(choices).items() if name is not msgspec.UNSET
    }
    async with db.write(who, "executor.choose") as tx:
        answerers = await choosing.list_answerers(tx, who, fleet)
        for role, name in given.items():
            if name is None:
                await store.delete_model_role(tx, who.team_id, role)
            else:
                chosen = await _find(tx, who, fleet, answerers, role, name)
                await store.put_model_role(tx, who.team_id, who.org_id, role, chosen.id, clock.stamp())
        tx.target, tx.detail = who.team_id, {str(role): name for role, name in given.items()}
        return await get(tx, who, fleet)


async def _find(
    tx: Tx, who: Principal, fleet: Fleet, answerers: list[Answerer], role: ModelRole, name: str
) -> Answerer:  # fmt: skip
    found = choosing.find_answerer(answerers, who, name)
    is_row = found is not None and found.id != jobs.LOCAL and not fleet.is_configured(found.id)
    if found is None or (is_row and not await store.is_active(tx, found.id)):
        raise BadRequest.at(f"/roles/{role}", "executors.no_such_name")
    return found


async def report(db: Reads, who: Principal, fleet: Fleet) -> ModelReport:
    """Return who would answer the caller now, in each role."""
    models = {role: await _answering(db, who, fleet, role) for role in ModelRole}
    roles = [RoleModel(**msgspec.structs.asdict(model), role=role) for role, model in models.items()]
    return ModelReport(**msgspec.structs.asdict(models[ModelRole.CHAT]), roles=roles)


async def _answering(db: Reads, who: Principal, fleet: Fleet, role: ModelRole) -> AnsweringModel:
    try:
        target = await choosing.choose(db, who, fleet, name=None, model=None, role=role)
    except NoExecutor as nobody:
        reason = Reason(nobody.detail, nobody.key, nobody.params)
        return AnsweringModel(None, None, False, None, nobody.detail, (reason,))
    return AnsweringModel(
        target.model, target.name, target.simulated, target.source, target.reason, target.reasons
    )  # fmt: skip
