"""A team's workflows as tools of MCP clients: each as `run_<slug>`, which starts a run and returns its id at once."""

from typing import Any

import msgspec

from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.errors import FeatureDisabled, Forbidden, OutOfScope
from teamspace.core.permissions import Feature, Permission
from teamspace.core.principal import Principal
from teamspace.jobs import Queue
from teamspace.mcp import OfferedRun, OfferedTool
from teamspace.workflows import access, store
from teamspace.workflows.domain import actions, viewing
from teamspace.workflows.domain.catalog import WorkflowCatalog
from teamspace.workflows.domain.definitions import MAX_WORKFLOWS
from teamspace.workflows.schemas import DefinitionRow, RunBody, RunDetail, RunOutline

_MAX_DESCRIPTION = 1000
_ASYNCHRONOUS = "Starts a run and returns its id, without waiting for its end."


class OfferedWorkflows:
    def __init__(self, catalog: WorkflowCatalog, queue: Queue) -> None:
        self._catalog, self._queue = catalog, queue

    async def list_offered(self, db: Db, who: Principal) -> list[OfferedTool]:
        """Return the workflows that the caller may run, in the order of their slugs."""
        if not _may(who, Permission.WORKFLOWS_RUN):
            return []
        await self._catalog.materialize(db, who)
        rows = await store.select(db, access.definitions_fence(who), "", MAX_WORKFLOWS)
        return [_describe(row) for row in rows]

    def may_read(self, who: Principal) -> bool:
        return _may(who, Permission.WORKFLOWS_READ)

    async def run(self, db: Db, who: Principal, slug: str, arguments: dict[str, Any]) -> OfferedRun:
        """Start a run with the caller's rights; raises NotFound if the team has no such workflow."""
        _require(who, Permission.WORKFLOWS_RUN)
        run = await actions.run(db, who, self._catalog, self._queue, slug, RunBody(input=arguments))
        return await pools.TEXT.run(_to_offered, run)

    async def read(self, db: Db, who: Principal, run_id: str) -> OfferedRun:
        """Return a run as far as the caller may read it."""
        _require(who, Permission.WORKFLOWS_READ)
        return await pools.TEXT.run(_to_offered, await viewing.find(db, who, run_id))


def _may(who: Principal, permission: Permission) -> bool:
    return Feature.WORKFLOWS in who.features and who.has_permission(permission)


def _require(who: Principal, permission: Permission) -> None:
    """Raise what the routes of workflows answer."""
    if not who.in_scope(permission):
        raise OutOfScope("rights.out_of_scope", permission=permission)
    if Feature.WORKFLOWS not in who.features:
        raise FeatureDisabled("rights.feature_off", feature=Feature.WORKFLOWS)
    if not who.has_permission(permission):
        raise Forbidden("rights.needs", permission=permission)


def _describe(row: DefinitionRow) -> OfferedTool:
    inputs = {
        name: {"type": each.type} | ({"description": each.description} if each.description else {})
        for name, each in row.inputs.items()
    }
    schema = {"type": "object", "properties": inputs, "required": sorted(inputs), "additionalProperties": False}
    told = " ".join(part for part in (row.description[:_MAX_DESCRIPTION] or row.title, _ASYNCHRONOUS) if part)
    return OfferedTool(row.slug, row.title or row.slug, told, schema)


def _to_offered(run: RunDetail | RunOutline) -> OfferedRun:
    return OfferedRun(run.id, run.slug, run.state, msgspec.json.encode(run))
