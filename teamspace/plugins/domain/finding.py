"""Finds plugins and reads their manifests. What is wrong with one is its fault, and nobody else's."""

import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import msgspec

import teamspace
from teamspace.plugins.domain import bundles
from teamspace.plugins.schemas import PluginManifest, PluginPackage

T = TypeVar("T", bound=msgspec.Struct)
MANIFEST = "plugin.json"
MAX_MANIFEST = 64 * 1024
_ROOT = "teamspace_plugins"
"""Plugins are imported as modules of this package, so that one can import its own modules and no other's."""


def find_shipped() -> list[PluginPackage]:
    """Find the plugins that come with the server."""
    root = Path(teamspace.__file__).parent
    installed, checkout = root / "shipped_plugins", root.parent / "plugins"
    return find([installed if installed.is_dir() else checkout], are_ours=True)


def find(folders: Sequence[Path], *, are_ours: bool = False) -> list[PluginPackage]:
    """Find the plugins in folders, each of which is a plugin or contains plugins."""
    return [_describe(plugin, are_ours) for folder in folders for plugin in list_folders(folder)]


def list_folders(folder: Path) -> Iterator[Path]:
    """Yield the folder itself if it is a plugin, otherwise those in it."""
    if (folder / MANIFEST).exists():
        yield folder
        return
    for each in sorted(folder.iterdir()):
        if each.is_dir() and not each.name.startswith((".", "_")):
            yield each


def _describe(folder: Path, is_ours: bool) -> PluginPackage:
    folder = folder.resolve()
    try:
        manifest = read_manifest(folder, PluginManifest)
    except ValueError as fault:
        return PluginPackage("", folder.name, is_ours=is_ours, fault=str(fault), folder=folder)
    name, wrong = _prepare_import(folder, manifest), _find_fault(folder, manifest)
    return PluginPackage(name, manifest.id, is_ours=is_ours, fault=wrong, folder=folder, manifest=manifest)


def _find_fault(folder: Path, manifest: PluginManifest) -> str | None:
    if not (folder / manifest.entry).is_file():
        return f"there is no file {manifest.entry}"
    for name in (bundles.BUNDLE, bundles.LANDING):
        files = folder / name
        # A link could lead anywhere, so nothing of it would be served.
        if files.is_symlink() or (files.exists() and not files.is_dir()):
            return f"{name} is not a folder"
    return None


def read_manifest(folder: Path, shape: type[T]) -> T:
    """Return the manifest of a plugin; raise ValueError saying what is wrong."""
    try:
        with (folder / MANIFEST).open("rb") as opened:
            content = opened.read(MAX_MANIFEST + 1)
    except OSError as fault:
        raise ValueError(f"{MANIFEST} cannot be read: {fault.strerror}") from None
    if len(content) > MAX_MANIFEST:
        raise ValueError(f"{MANIFEST} has more than {MAX_MANIFEST} bytes")
    try:
        return msgspec.json.decode(content, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise ValueError(f"{MANIFEST} is not a manifest: {fault}") from None


def _prepare_import(folder: Path, manifest: PluginManifest) -> str:
    """Make the plugin's folder a package, without importing anything; return the name of its entry module."""
    # The same for the same folder only: another plugin of this id must not get the first one's modules.
    package = f"{_ROOT}.{manifest.id.replace('-', '_')}_{zlib.crc32(bytes(folder)):08x}"
    if package not in sys.modules:
        sys.modules.setdefault(_ROOT, _package(_ROOT, []))
        sys.modules[package] = _package(package, [str(folder)])
    return f"{package}.{manifest.entry.removesuffix('.py')}"


def _package(name: str, path: list[str]) -> ModuleType:
    package = ModuleType(name)
    package.__path__ = path
    return package
