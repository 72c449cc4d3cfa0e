"""Workflows among the tools: `run_<slug>` starts a run, and `run_get_state` reads one.

No other tool can have such a name (`tools.RUN_PREFIX`), and no slug has an underscore.
"""

from typing import Any, Protocol

import msgspec

from teamspace.core.db import Db
from teamspace.core.errors import BadRequest, NotFound, Refusal
from teamspace.core.principal import Principal
from teamspace.mcp.domain import resources, results
from teamspace.mcp.schemas import OfferedRun, OfferedTool
from teamspace.tools import RUN_PREFIX

GET_STATE = f"{RUN_PREFIX}get_state"
_MAX_SHOWN = 16 * 1024
_STATE_TOOL = {
    "name": GET_STATE,
    "description": "Return the state of a workflow's run, with the results of its steps and the error if it failed.",
    "inputSchema": {
        "type": "object", "properties": {"run_id": {"type": "string"}}, "required": ["run_id"],
        "additionalProperties": False,
    },
}  # fmt: skip


class RunnableWorkflows(Protocol):
    """The workflows of teams. Their package is above this one."""

    async def list_offered(self, db: Db, who: Principal) -> list[OfferedTool]: ...
    def may_read(self, who: Principal) -> bool: ...
    async def run(self, db: Db, who: Principal, slug: str, arguments: dict[str, Any]) -> OfferedRun: ...
    async def read(self, db: Db, who: Principal, run_id: str) -> OfferedRun: ...


class McpWorkflows:
    def __init__(self, workflows: RunnableWorkflows) -> None:
        self._workflows = workflows

    async def list_tools(self, db: Db, who: Principal) -> list[dict[str, Any]]:
        """Return a tool for each workflow that the caller may run, and the one that reads runs."""
        offered = await self._workflows.list_offered(db, who)
        state = [_STATE_TOOL] if self._workflows.may_read(who) else []
        return [_describe(tool) for tool in offered] + state

    async def call(self, db: Db, who: Principal, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Start a run, or read one. What is refused is a result; raises NotFound if there is no such tool."""
        try:
            if name == GET_STATE:
                return _to_state(await self._workflows.read(db, who, _run_id(arguments)))
            run = await self._workflows.run(db, who, name.removeprefix(RUN_PREFIX), arguments)
            return _to_started(run)
        except NotFound as refusal:
            if name == GET_STATE:
                return results.to_error(refusal)
            raise
        except Refusal as refusal:
            return results.to_error(refusal)

    async def read(self, db: Db, who: Principal, run_id: str) -> str:
        """Return a run as JSON; raises NotFound if there is none that the caller can read."""
        try:
            return (await self._workflows.read(db, who, run_id)).json.decode()
        except Refusal:
            raise NotFound() from None


def _run_id(arguments: dict[str, Any]) -> str:
    run_id = arguments.get("run_id")
    if not isinstance(run_id, str) or len(arguments) != 1:
        raise BadRequest.at("/arguments/run_id", "value.empty")
    return run_id


def _describe(tool: OfferedTool) -> dict[str, Any]:
    return {
        "name": RUN_PREFIX + tool.slug, "title": tool.title, "description": tool.description, "inputSchema": tool.schema,
    }  # fmt: skip


def _to_started(run: OfferedRun) -> dict[str, Any]:
    uri = resources.to_uri(resources.RUNS, run.id)
    text = f"The run {run.id} of {run.slug} has begun. {GET_STATE} returns its state and its results."
    link = {"type": "resource_link", "uri": uri, "name": run.slug, "mimeType": "application/json"}
    return {
        "content": [{"type": "text", "text": text}, link], "isError": False,
        "structuredContent": {"run_id": run.id, "state": run.state, "uri": uri},
    }  # fmt: skip


def _to_state(run: OfferedRun) -> dict[str, Any]:
    """Return a run as it is: a large one is neither decoded nor encoded again on the event loop."""
    shown = run.json.decode()
    if len(shown) > _MAX_SHOWN:
        shown = (
            f"{shown[:_MAX_SHOWN]}\n[cut: {len(shown)} characters; {resources.to_uri(resources.RUNS, run.id)} has all]"
        )
    return {
        "content": [{"type": "text", "text": shown}], "isError": False, "structuredContent": msgspec.Raw(run.json),
    }  # fmt: skip
