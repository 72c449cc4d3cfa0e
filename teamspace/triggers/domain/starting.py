"""What triggers ask of workflows before a run: the definition, and whether an input fits it."""

from typing import Any

from teamspace import workflows
from teamspace.core.db import Db, Reads
from teamspace.core.errors import BadRequest
from teamspace.core.ids import new_id
from teamspace.core.principal import Principal
from teamspace.triggers.schemas import OBJECT_INPUT, FireReason, Unfired
from teamspace.workflows import Catalog, Definition, PreparedRun


class Definitions:
    """The workflows of a team, each read once for all triggers of an upload."""

    def __init__(self, db: Reads, team_id: str) -> None:
        self._db, self._team_id = db, team_id
        self._found: dict[str, Definition | None] = {}

    async def prepare(self, slug: str, input: dict[str, Any], object_id: str) -> PreparedRun | Unfired:
        """Return the run of a workflow on an object, ready to be started, or why it cannot be."""
        if slug not in self._found:
            self._found[slug] = await workflows.get_definition(self._db, self._team_id, slug)
        definition = self._found[slug]
        if definition is None:
            return Unfired.because(FireReason.WORKFLOW_MISSING, "triggers.workflow_missing", slug=slug)
        try:
            return _prepare(definition, input, object_id)
        except BadRequest as fault:
            return Unfired.because(FireReason.INPUT_INVALID, "triggers.input_invalid", problem=fault.detail)


async def check(db: Db, who: Principal, catalog: Catalog, slug: str, input: dict[str, Any]) -> None:
    """Raise BadRequest unless the workflow exists and the input, with an object's id, fits it."""
    await catalog.materialize(db, who, slug)
    definition = await workflows.get_definition(db, who.team_id, slug)
    if definition is None:
        raise BadRequest.at("/workflow_slug", "triggers.no_workflow")
    _prepare(definition, input, new_id())


def _prepare(definition: Definition, input: dict[str, Any], object_id: str) -> PreparedRun:
    has_object = OBJECT_INPUT in definition.spec.inputs
    return workflows.prepare(definition, input | {OBJECT_INPUT: object_id} if has_object else input)
