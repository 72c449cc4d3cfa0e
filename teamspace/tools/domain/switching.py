"""Which tools a team has turned on."""

from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.errors import Conflict
from teamspace.core.principal import Principal
from teamspace.tools import store
from teamspace.tools.domain.binding import BoundTool
from teamspace.tools.domain.calling import Toolbox
from teamspace.tools.schemas import TeamTool, ToolChange, ToolSwitch


async def list_tools(db: Db, who: Principal, toolbox: Toolbox) -> list[TeamTool]:
    """Return all tools, by name, and whether they are on for the caller's team."""
    switches = {row.tool: row for row in await store.select(db, who.team_id)}
    tools = sorted(toolbox, key=lambda tool: tool.name)
    return [_to_team_tool(tool, switches.get(tool.name)) for tool in tools]


async def switch_tool(db: Db, who: Principal, toolbox: Toolbox, name: str, change: ToolChange) -> TeamTool:
    """Turn a tool on or off; an external tool is turned on as it describes itself now."""
    tool = toolbox.find(name)
    if change.enabled and change.pin not in (None, tool.pin):
        raise Conflict("tools.changed_meanwhile", tool=name)
    switch = ToolSwitch(name, change.enabled, tool.pin)
    async with db.write(who, "tool.switch") as tx:
        await store.put(tx, who.team_id, who.org_id, switch, clock.stamp())
        tx.target, tx.detail = name, {"enabled": change.enabled}
    return _to_team_tool(tool, switch)


def _to_team_tool(tool: BoundTool, switch: ToolSwitch | None) -> TeamTool:
    row, enabled = tool.row, switch.enabled if switch else tool.is_shipped
    changed = switch is not None and tool.has_changed_since(switch)
    return TeamTool(
        row.name, row.doc, row.needs, row.feature, tool.source, enabled and not changed, changed, tool.schema, tool.pin
    )
