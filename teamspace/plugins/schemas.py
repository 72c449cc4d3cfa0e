"""Shapes of plugins: the manifest, rows of their tables, and what the API says about them."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from teamspace.core.loader import Package
from teamspace.core.permissions import Feature, Permission

_Line = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]


class PluginManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `plugin.json`."""

    id: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,63}$")]
    name: _Line
    version: Annotated[str, Meta(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$", max_length=40)]
    description: _Line
    entry: Annotated[str, Meta(pattern=r"^[a-z_][a-z0-9_]{0,63}\.py$")]
    """The file with its tables."""


class PluginPackage(Package, frozen=True):
    """A plugin that was found, whether it can be loaded or not."""

    folder: Path = Path()
    manifest: PluginManifest | None = None
    """None if it cannot be read."""

    @property
    def is_plugin(self) -> bool:
        return True


class PluginRoute(msgspec.Struct, frozen=True):
    """A route of a plugin, below /api/x/<plugin>/. Its callers send a bearer token.

    The handler is given by name, takes a PluginRequest, and may take `db: Db` and `who: Principal`.
    """

    method: str
    path: str
    """Begins with a slash; `:name` matches a segment."""
    permission: Permission | None
    """Checked before the handler is called; None if every signed-in person may call it."""
    handler: str
    doc: str
    query: type[msgspec.Struct] | None = None
    body: type[msgspec.Struct] | None = None
    """What the query and the body must be; without a type there must be none."""
    feature: Feature | None = None


class PluginRequest(msgspec.Struct, frozen=True):
    """A request to a plugin's route."""

    params: dict[str, str]
    """The segments of the path that `:name` matched."""
    query: Any
    """Of the type that the route declares; None without one."""
    body: Any
    """Of the type that the route declares; None without one."""


# What the API says


class RouteName(msgspec.Struct, frozen=True):
    method: str
    path: str


class PluginReport(msgspec.Struct, frozen=True):
    id: str
    name: str
    version: str
    description: str
    state: Literal["loaded", "failed"]
    error: str | None
    """Why it failed; for operators of the instance only."""
    tools: list[str]
    workflows: list[str]
    routes: list[RouteName]
    kinds: list[str]
    blob_stores: list[str]
    has_bundle: bool
    has_landing: bool
    has_onboarding: bool
    """Whether it brings what the sign-up page asks."""


class PluginReports(msgspec.Struct, frozen=True):
    items: list[PluginReport]
