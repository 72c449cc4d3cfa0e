"""Finds sandboxed plugins and reads their manifests. What is wrong with one is its fault, and nobody else's."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from teamspace import plugins
from teamspace.oop.domain import capabilities
from teamspace.oop.schemas import FoundPlugin, SandboxedManifest


def find(folders: Sequence[Path]) -> list[FoundPlugin]:
    """Find the plugins in folders, each of which is a plugin or contains plugins."""
    found = [_describe(plugin.resolve()) for folder in folders for plugin in plugins.list_folders(folder)]
    first = dict[str, FoundPlugin]()
    for plugin in found:
        if plugin.id in first:
            fault = f"the plugin in {first[plugin.id].folder} has the same id"
            plugin = msgspec.structs.replace(plugin, fault=fault)  # noqa: PLW2901
        first.setdefault(plugin.id, plugin)
    return list(first.values())


def _describe(folder: Path) -> FoundPlugin:
    try:
        manifest = plugins.read_manifest(folder, SandboxedManifest)
    except ValueError as fault:
        return FoundPlugin(folder, None, str(fault))
    try:
        names = [capabilities.parse(name).name for name in manifest.capabilities]
    except ValueError as fault:
        return FoundPlugin(folder, manifest, str(fault))
    repeated = len(names) != len(set(names))
    return FoundPlugin(folder, manifest, "a capability is listed twice" if repeated else None)
