"""Routes of sandboxed plugins: what there is, and what is granted."""

from teamspace.core.db import Db
from teamspace.core.errors import NotFound
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.routing import BEARER, Route
from teamspace.oop.domain.plugins import PluginHost
from teamspace.oop.schemas import GrantChange, SandboxedPlugin, SandboxedPlugins

# fmt: off
ROUTES = (
    Route("GET", "/api/oop",            BEARER, None,              None, "index", "List the sandboxed plugins: their state, their tools, and the capabilities they may ask for."),
    Route("PUT", "/api/oop/:id/grants", BEARER, P.INSTANCE_MANAGE, None, "grant", "Replace the capabilities that are granted to a sandboxed plugin, and start it again if it is disabled.",
          refuses=(NotFound,)),
)
# fmt: on


async def index(db: Db, who: Principal, host: PluginHost) -> SandboxedPlugins:
    return SandboxedPlugins(await host.list_plugins(db, who))


async def grant(db: Db, who: Principal, host: PluginHost, id: str, body: GrantChange) -> SandboxedPlugin:
    return await host.grant(db, who, id, body.capabilities)
