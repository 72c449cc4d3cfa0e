"""Data types of tools."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec

from teamspace.core.permissions import Feature, Permission
from teamspace.core.tables import ArtifactKind

CallerKind = Literal["agent", "workflow", "plugin", "mcp"]


class ToolContext(msgspec.Struct, frozen=True):
    """For what a tool is called."""

    caller: CallerKind
    key: str = ""
    """Equal for repeated attempts of one call, so that a handler can recognize them."""
    tools: Sequence[str] | None = None
    """The only tools that may be called; by default all that are on for the team."""


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    """A result that people see as a card, models as one line, and workflow steps as a value."""

    kind: ArtifactKind
    title: str
    summary: str = ""
    content_type: str | None = None
    object_id: str | None = None
    version_id: str | None = None
    extra: dict[str, Any] = {}
    """Further keys of the value."""

    def __post_init__(self) -> None:
        if taken := self.extra.keys() & set(self.__struct_fields__):
            raise ValueError(f"an artifact has its own {', '.join(sorted(taken))}")

    def to_value(self) -> dict[str, Any]:
        value: dict[str, Any] = msgspec.to_builtins(self)
        extra: dict[str, Any] = value.pop("extra")
        return value | extra


class ToolResult(msgspec.Struct, frozen=True):
    value: Any
    """The complete result, as JSON types."""
    shown: str
    """What a model sees of it."""
    size: int = 0
    """Bytes of the value as JSON, or of the text that it is; 0 for artifacts."""
    is_artifact: bool = False


class TeamTool(msgspec.Struct, frozen=True):
    """A tool as a team sees it."""

    name: str
    description: str
    permission: Permission
    feature: Feature | None
    source: str
    """`shipped`, the id of a plugin, or where an external tool comes from: `mcp:<server>`, `oop:<plugin>`."""
    enabled: bool
    """Whether it can be called; not if it has changed since it was turned on."""
    changed: bool
    """Whether what it says about itself differs from when the team turned it on. It is off until it is turned on again."""
    parameters: dict[str, Any]
    """The JSON schema of its arguments."""
    pin: str | None = None
    """The hash of what an external tool says about itself."""


class ToolChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    enabled: bool
    pin: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    """Turns an external tool on only if it still has this pin."""


class ToolSwitch(msgspec.Struct, frozen=True):
    """Whether a team has turned a tool on or off."""

    tool: str
    enabled: bool
    pin: str | None = None
    """The hash of what an external tool said about itself at that time."""
