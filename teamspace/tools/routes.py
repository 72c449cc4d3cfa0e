"""HTTP routes of tools."""

from teamspace.core.db import Db
from teamspace.core.errors import Conflict
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.core.routing import BEARER, Route
from teamspace.tools.domain import switching
from teamspace.tools.domain.calling import Toolbox
from teamspace.tools.schemas import TeamTool, ToolChange

# fmt: off
ROUTES = (
    Route("GET",  "/api/tools",       BEARER, None,              None, "index",  "List all tools with their permission, source and arguments, and whether they are on for the team."),
    Route("POST", "/api/tools/:name", BEARER, P.SETTINGS_MANAGE, None, "switch", "Turn a tool on or off for the team.", refuses=(Conflict,)),
)
# fmt: on


async def index(db: Db, who: Principal, toolbox: Toolbox) -> Page[TeamTool]:
    return Page(await switching.list_tools(db, who, toolbox), None)


async def switch(db: Db, who: Principal, toolbox: Toolbox, name: str, body: ToolChange) -> TeamTool:
    return await switching.switch_tool(db, who, toolbox, name, body)
