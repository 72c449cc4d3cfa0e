"""Which tools a team has turned on."""

from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.tools import store
from teamspace.tools.domain.binding import BoundTool
from teamspace.tools.domain.calling import Toolbox
from teamspace.tools.schemas import TeamTool


async def list_tools(db: Db, who: Principal, toolbox: Toolbox) -> list[TeamTool]:
    """Return all tools, by name, and whether they are on for the caller's team."""
    switches = {row.tool: row.enabled for row in await store.select(db, who.team_id)}
    tools = sorted(toolbox, key=lambda tool: tool.name)
    return [_to_team_tool(tool, enabled=switches.get(tool.name, tool.is_shipped)) for tool in tools]


async def switch_tool(db: Db, who: Principal, toolbox: Toolbox, name: str, *, enabled: bool) -> TeamTool:
    tool = toolbox.find(name)
    async with db.write(who, "tool.switch") as tx:
        await store.put(tx, who.team_id, who.org_id, name, enabled=enabled, now=clock.stamp())
        tx.target, tx.detail = name, {"enabled": enabled}
    return _to_team_tool(tool, enabled=enabled)


def _to_team_tool(tool: BoundTool, *, enabled: bool) -> TeamTool:
    row = tool.row
    return TeamTool(row.name, row.doc, row.needs, row.feature, tool.source, enabled, tool.schema)
