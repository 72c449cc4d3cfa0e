"""What is known about the plugins of this server."""

from collections.abc import Iterator
from pathlib import Path

from teamspace.core.errors import NotFound
from teamspace.core.loader import Contribution, Loaded, Tables
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.core.routing import Route
from teamspace.core.tables import BlobStoreSpec, JobSpec, OnboardingExperience, Tool, Workflow
from teamspace.plugins.domain import bundles
from teamspace.plugins.schemas import PluginPackage, PluginReport, RouteName

_HIDDEN = "It cannot be loaded; an operator of the instance can see why."


class PluginCatalog:
    """The plugins that were found, with what they contribute."""

    def __init__(self, tables: Tables) -> None:
        contributions = {each.package: each for each in tables.contributions}
        self._plugins = [
            (result, result.package, contributions.get(result.package))
            for result in tables.results
            if isinstance(result.package, PluginPackage)
        ]

    def report(self, who: Principal) -> list[PluginReport]:
        """Return all plugins by id. Reasons can name files of the server, so only operators see them."""
        is_operator = who.has_permission(Permission.INSTANCE_MANAGE)
        reports = [_report(*found, shows_errors=is_operator) for found in self._plugins]
        return sorted(reports, key=lambda report: report.id)

    def find_folder(self, plugin_id: str) -> Path:
        """Return the folder of a loaded plugin."""
        for result, package, _ in self._plugins:
            if package.source == plugin_id and result.state == "loaded":
                return package.folder
        raise NotFound("request.no_such_path")


def _report(result: Loaded, package: PluginPackage, found: Contribution | None, *, shows_errors: bool) -> PluginReport:
    manifest, rows = package.manifest, found or Contribution(package)

    def names(row: type, attribute: str) -> list[str]:
        return [getattr(each, attribute) for each in rows.rows.get(row, ())]

    return PluginReport(
        id=package.source,
        name=manifest.name if manifest else package.source,
        version=manifest.version if manifest else "",
        description=manifest.description if manifest else "",
        state=result.state,
        error=result.error if shows_errors or result.error is None else _HIDDEN,
        tools=names(Tool, "name"),
        workflows=names(Workflow, "slug"),
        routes=list(_routes(rows)),
        kinds=names(JobSpec, "kind"),
        blob_stores=names(BlobStoreSpec, "name"),
        has_bundle=(package.folder / bundles.BUNDLE).is_dir(),
        has_landing=(package.folder / bundles.LANDING).is_dir(),
        has_onboarding=bool(rows.rows.get(OnboardingExperience)),
    )


def _routes(found: Contribution) -> Iterator[RouteName]:
    for route in found.rows.get(Route, ()):
        yield RouteName(route.method, route.path)
