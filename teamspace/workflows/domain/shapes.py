"""What a spec must know about the tools that it calls."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec

from teamspace.tools import Artifact, BoundTool
from teamspace.workflows.domain.language.specs import ToolShape

_NAMES: tuple[tuple[type, str], ...] = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (NoneType, "null"),
    (Artifact, "object"),
    (msgspec.Struct, "object"),
    (Mapping, "object"),
    (Sequence, "array"),
    (set, "array"),
    (frozenset, "array"),
)


def shape_of(tool: BoundTool) -> ToolShape:
    """Return the JSON schema of a tool's arguments, and the types of its result as far as its handler declares them."""
    return ToolShape(tool.schema, None if tool.is_external else _returns(tool.handler))


@cache
def _returns(handler: Callable[..., Any]) -> frozenset[str] | None:
    hint = get_type_hints(handler).get("return", Any)
    return None if hint is Any else _types(hint)


def _types(hint: Any) -> frozenset[str] | None:
    """Return the JSON types that a value of this annotation has; None if that is not known."""
    if hint is None:
        return frozenset(("null",))
    if get_origin(hint) in (Union, UnionType):
        found = [_types(each) for each in get_args(hint)]
        return None if None in found else frozenset().union(*(each for each in found if each))
    kind = get_origin(hint) or hint
    if not isinstance(kind, type):
        return None
    return next((frozenset((name,)) for each, name in _NAMES if issubclass(kind, each)), None)
