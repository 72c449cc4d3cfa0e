"""Tools of other programs, such as MCP servers: what they say about themselves is not ours, and can change."""

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from teamspace.completions import json_schemas
from teamspace.core import pools
from teamspace.core.errors import BadRequest
from teamspace.core.loader import Package
from teamspace.core.permissions import Permission
from teamspace.core.tables import Tool
from teamspace.tools.domain.binding import GATE_ARGUMENTS, NAME, NAME_RULE, BoundTool
from teamspace.tools.domain.schema import MAX_BYTES

MAX_DOC = 2000
"""In characters."""

Handler = Callable[..., Awaitable[Any]]


async def bind_external(source: str, name: str, doc: str, schema: dict[str, Any], handler: Handler) -> BoundTool:
    """Return a tool of another program; raise ValueError with the reason if models cannot be given it.

    `handler(db=, who=, context=, arguments=)` gets arguments that fit the schema. It must end within a deadline of its
    own, and raise only refusals.
    """
    if not NAME.fullmatch(name):
        raise ValueError(NAME_RULE)
    if len(doc) > MAX_DOC:
        raise ValueError(f"the description has {len(doc)} characters, more than {MAX_DOC}")
    encoded = await _check(schema)
    row = Tool(
        name, "", doc, Permission.CHAT_USE, artifacts=("document", "table", "text", "link", "image"), slow=True
    )  # fmt: skip
    return BoundTool(
        row=row, package=Package("", source, is_ours=False), handler=handler, arguments=None, takes_whole=True,
        wants=GATE_ARGUMENTS, provided={}, schema=schema, pin=_pin(source, doc, encoded),
    )  # fmt: skip


async def validate(tool: BoundTool, encoded: bytes) -> None:
    """Raise BadRequest, naming the field, if arguments do not fit the tool's schema."""
    try:
        await pools.SCHEMAS.run(json_schemas.validate, tool.schema, msgspec.Raw(encoded))
    except json_schemas.InvalidValue as fault:
        raise BadRequest.at(f"/arguments{fault.path}", "tools.mismatch", reason=fault.reason) from None


async def _check(schema: dict[str, Any]) -> bytes:
    """Return a schema as JSON, the same for equal schemas; raise ValueError if it cannot be used."""
    try:
        encoded = msgspec.json.encode(schema, order="deterministic")
    except (RecursionError, UnicodeEncodeError):
        raise ValueError("the schema is not JSON") from None
    if len(encoded) > MAX_BYTES:
        raise ValueError(f"the schema has {len(encoded)} bytes, more than {MAX_BYTES}")
    if schema.get("type") != "object":
        raise ValueError("the schema is not one of an object")
    try:
        await pools.SCHEMAS.run(json_schemas.check, schema, "the schema")
    except BadRequest as refusal:
        raise ValueError(refusal.detail) from None
    return encoded


def _pin(source: str, doc: str, schema: bytes) -> str:
    return hashlib.sha256(b"\0".join((source.encode(), doc.encode(errors="replace"), schema))).hexdigest()
