"""Routes of plugins in general: what there is, and the files of their folders `landing/` and `bundle/`."""

from teamspace.core.errors import NotFound
from teamspace.core.principal import Principal
from teamspace.core.replies import Content
from teamspace.core.routing import BEARER, PUBLIC, Route
from teamspace.plugins.domain import bundles
from teamspace.plugins.domain.reporting import PluginCatalog
from teamspace.plugins.schemas import PluginReports
from teamspace.settings import Settings

# fmt: off
ROUTES = (
    Route("GET", "/beta/bundle/:plugin/*path",  PUBLIC, None, None, "landing", "Return a public file of a plugin.", refuses=(NotFound,)),
    Route("GET", "/api/x/:plugin/bundle/*path", BEARER, None, None, "bundle",  "Return a file of a plugin for signed-in people.", refuses=(NotFound,)),
    Route("GET", "/api/plugins",                BEARER, None, None, "listing", "List the plugins, what each adds, and which could not be loaded."),
)
# fmt: on

# Pages beside them have an origin of their own, and need them too.
_LANDING_HEADERS = {"cache-control": "public, max-age=300", "cross-origin-resource-policy": "cross-origin"}
_PAGE_POLICY = (
    "sandbox allow-scripts allow-forms; default-src 'none'; script-src 'self' {base}; style-src 'self' {base} 'unsafe-inline';"
    " img-src 'self' {base} data:; font-src 'self' {base}; connect-src 'self' {base}; worker-src blob:; base-uri 'none';"
    " frame-ancestors 'none'"
)
"""Of public pages. The sandbox gives them an origin of their own: a session of the console is out of their reach."""
_BUNDLE_HEADERS = {"cache-control": "private, no-store", "vary": "Authorization"}


async def listing(who: Principal, catalog: PluginCatalog) -> PluginReports:
    return PluginReports(catalog.report(who))


async def landing(catalog: PluginCatalog, settings: Settings, plugin: str, path: str) -> Content:
    file = await _file(catalog, plugin, bundles.LANDING, path, _LANDING_HEADERS)
    if not file.content_type.startswith("text/html"):
        return file
    policy = {"content-security-policy": _PAGE_POLICY.format(base=settings.address)}
    return Content(file.body, file.content_type, _LANDING_HEADERS | policy)


async def bundle(catalog: PluginCatalog, plugin: str, path: str) -> Content:
    return await _file(catalog, plugin, bundles.BUNDLE, path, _BUNDLE_HEADERS)


async def _file(catalog: PluginCatalog, plugin: str, kind: str, path: str, headers: dict[str, str]) -> Content:
    file = await bundles.read(catalog.find_folder(plugin), kind, path)
    return Content(file.body, file.content_type, headers)
