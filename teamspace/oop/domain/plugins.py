"""All sandboxed plugins of this server. Every process of it has its own."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.errors import BadRequest, NotFound
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.oop import store
from teamspace.oop.domain import capabilities, finding
from teamspace.oop.domain.broker import Broker
from teamspace.oop.domain.keeping import Keeper
from teamspace.oop.domain.services import PluginServices
from teamspace.oop.schemas import CapabilityUse, FoundPlugin, SandboxedPlugin

_HIDDEN = "It cannot be started; an operator of the instance can see why."


class PluginHost:
    def __init__(self, folders: Sequence[Path], services: PluginServices) -> None:
        self._found, self._services = finding.find(folders), services
        self._keepers: dict[str, Keeper] = {}

    async def run(self, db: Db) -> None:
        """Keep all plugins running, until cancelled."""
        for found in self._found:
            if found.manifest and found.fault is None:
                asked = [capabilities.parse(name) for name in found.manifest.capabilities]
                broker = Broker(found.id, asked, self._services, db)
                self._keepers[found.id] = Keeper(found, found.manifest, self._services.toolbox, broker, db)
        await asyncio.gather(*(keeper.run() for keeper in self._keepers.values()))

    async def list_plugins(self, db: Db, who: Principal) -> list[SandboxedPlugin]:
        """Return all plugins by id. Reasons can name files of the server, so only operators see them."""
        is_operator = who.has_permission(Permission.INSTANCE_MANAGE)
        granted = {row.plugin: row.capabilities for row in await store.select_grants(db)}
        reports = [self._report(each, granted.get(each.id, []), shows_errors=is_operator) for each in self._found]
        return sorted(reports, key=lambda report: report.id)

    async def grant(self, db: Db, who: Principal, plugin_id: str, names: list[str]) -> SandboxedPlugin:
        """Replace what is granted to a plugin, and start it if it is disabled."""
        found = next((each for each in self._found if each.id == plugin_id and each.manifest), None)
        if found is None or found.manifest is None:
            raise NotFound("oop.none")
        for index, name in enumerate(names):
            if name not in found.manifest.capabilities:
                raise BadRequest.at(f"/capabilities/{index}", "oop.not_asked", name=name)
        granted = sorted(set(names))
        async with db.write(who, "oop.grant") as tx:
            tx.target, tx.detail = plugin_id, {"capabilities": granted}
            await store.put_grants(tx, plugin_id, granted, clock.stamp())
        if keeper := self._keepers.get(plugin_id):
            keeper.wake()
        return self._report(found, granted, shows_errors=True)

    def _report(self, found: FoundPlugin, granted: list[str], *, shows_errors: bool) -> SandboxedPlugin:
        if keeper := self._keepers.get(found.id):
            return keeper.report(granted, shows_errors=shows_errors)
        manifest = found.manifest
        return SandboxedPlugin(
            id=found.id, name=manifest.name if manifest else found.id, version=manifest.version if manifest else "",
            description=manifest.description if manifest else "", state="refused" if found.fault else "starting",
            sandbox=None, last_error=found.fault if shows_errors or not found.fault else _HIDDEN, restarts=0,
            started_at=None, tools=[],
            capabilities=[CapabilityUse(name, name in granted, 0, 0) for name in (manifest.capabilities if manifest else ())],
        )  # fmt: skip
