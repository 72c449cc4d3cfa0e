"""Plugins: folders with a manifest and a module, loaded like the shipped packages and reported with their faults."""

from teamspace.plugins.domain.binding import bind_routes, to_route
from teamspace.plugins.domain.finding import find, find_shipped, list_folders, read_manifest
from teamspace.plugins.domain.reporting import PluginCatalog
from teamspace.plugins.schemas import PluginManifest, PluginPackage, PluginRequest, PluginRoute

__all__ = [
    "PluginCatalog",
    "PluginManifest",
    "PluginPackage",
    "PluginRequest",
    "PluginRoute",
    "bind_routes",
    "find",
    "find_shipped",
    "list_folders",
    "read_manifest",
    "to_route",
]
