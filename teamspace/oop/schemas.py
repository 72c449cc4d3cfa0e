"""Shapes of sandboxed plugins: the manifest, what they ask the server for, and what the API says about them."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from teamspace.completions import Message
from teamspace.sandbox import Tier

_Line = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
_Argument = Annotated[str, Meta(min_length=1, max_length=1000, pattern=r"^[^\x00]*$")]


class SandboxedManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `plugin.json`."""

    id: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
    name: _Line
    version: Annotated[str, Meta(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$", max_length=40)]
    description: _Line
    command: Annotated[list[_Argument], Meta(min_length=1, max_length=50)]
    """Started in the plugin's folder. `python` is the server's own."""
    capabilities: Annotated[list[str], Meta(max_length=50)] = []
    """What it may ask the server for, if an operator grants it."""


class FoundPlugin(msgspec.Struct, frozen=True):
    """A folder with a plugin, whether it can be started or not."""

    folder: Path
    manifest: SandboxedManifest | None
    fault: str | None = None

    @property
    def id(self) -> str:
        return self.manifest.id if self.manifest else self.folder.name


# Messages


class PluginRpcError(msgspec.Struct, frozen=True):
    code: int
    message: str
    data: Any = UNSET


class PluginMessage(msgspec.Struct, frozen=True):
    """A request, a notification or a response."""

    id: int | str | None = None
    method: str | None = None
    params: dict[str, Any] = {}
    result: Any = UNSET
    error: PluginRpcError | UnsetType = UNSET


class PluginTool(msgspec.Struct, frozen=True):
    """A tool as a plugin describes it."""

    name: str
    description: str = ""
    input_schema: dict[str, Any] = msgspec.field(default_factory=lambda: {"type": "object"}, name="inputSchema")


class PluginToolPage(msgspec.Struct, frozen=True):
    tools: list[PluginTool]
    next_cursor: str | None = msgspec.field(default=None, name="nextCursor")


class ContentBlock(msgspec.Struct, frozen=True):
    type: str
    text: str = ""


class PluginResult(msgspec.Struct, frozen=True):
    content: list[ContentBlock] = []
    structured: dict[str, Any] | None = msgspec.field(default=None, name="structuredContent")
    is_error: bool = msgspec.field(default=False, name="isError")


# What a plugin asks the server for


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The parameters of a request for a capability."""

    ticket: str = ""
    """Of the call for which it is made."""


class LogLine(Asked, frozen=True, kw_only=True):
    message: str
    level: Literal["info", "warning", "error"] = "info"


_Key = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]


class OneKey(Asked, frozen=True, kw_only=True):
    key: _Key


class KeyValue(Asked, frozen=True, kw_only=True):
    key: _Key
    value: Any


class KeyPrefix(Asked, frozen=True, kw_only=True):
    prefix: Annotated[str, Meta(max_length=200)] = ""


class ToolQuestion(Asked, frozen=True, kw_only=True):
    """Goes to a tool that ships, with these arguments."""

    arguments: dict[str, Any]


class ChatQuestion(Asked, frozen=True, kw_only=True):
    messages: Annotated[list[Message], Meta(min_length=1, max_length=100)]
    max_tokens: Annotated[int, Meta(ge=1, le=100_000)] | None = None


class TranslationQuestion(Asked, frozen=True, kw_only=True):
    text: Annotated[str, Meta(min_length=1, max_length=100_000)]
    target: Annotated[str, Meta(max_length=40)]
    source: Annotated[str, Meta(max_length=40)] | None = None


class FileDraft(Asked, frozen=True, kw_only=True):
    """A file to be written, as text or in base64."""

    key: Annotated[str, Meta(min_length=1, max_length=1024)]
    body: str
    is_base64: bool = False
    content_type: Annotated[str, Meta(max_length=200)] = ""


class JobQuestion(Asked, frozen=True, kw_only=True):
    kind: Annotated[str, Meta(max_length=100)]
    input: dict[str, Any] = {}


class Fetch(Asked, frozen=True, kw_only=True):
    url: Annotated[str, Meta(max_length=4000)]
    method: Literal["GET", "POST"] = "GET"
    headers: Annotated[dict[str, Annotated[str, Meta(max_length=4000, pattern=r"^[ -~]*$")]], Meta(max_length=30)] = {}
    """`{secret:name}` in a value stands for a secret that the plugin never sees."""
    body: Annotated[str, Meta(max_length=1_000_000)] = ""


class Fetched(msgspec.Struct, frozen=True):
    status: int
    content_type: str
    body: str
    """As text; in base64 if it is none."""
    is_base64: bool


# What the API says

PluginState = Literal["starting", "running", "waiting", "disabled", "refused"]


class CapabilityUse(msgspec.Struct, frozen=True):
    name: str
    granted: bool
    used: int
    refused: int
    """Since this process of the server began."""


class SandboxedPlugin(msgspec.Struct, frozen=True):
    id: str
    name: str
    version: str
    description: str
    state: PluginState
    sandbox: Tier | None
    last_error: str | None
    """For operators of the instance; others see that there is one."""
    restarts: int
    started_at: str | None
    tools: list[str]
    capabilities: list[CapabilityUse]


class SandboxedPlugins(msgspec.Struct, frozen=True):
    items: list[SandboxedPlugin]


class GrantChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    capabilities: Annotated[list[Annotated[str, Meta(max_length=600)]], Meta(max_length=50)]
