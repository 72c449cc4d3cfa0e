"""Binds the rows of TOOLS tables to their handlers, and checks them at boot."""

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import ModuleType
from typing import Any, get_type_hints

import msgspec

from teamspace.core.loader import Package
from teamspace.core.tables import Tool
from teamspace.tools.domain import schema

_GATE_ARGUMENTS = frozenset({"db", "who", "context"})
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_WHOLE = "arguments"
"""The parameter of a handler that takes all arguments as one struct."""


class BoundTool(msgspec.Struct, frozen=True):
    """A row of a TOOLS table bound to its handler."""

    row: Tool
    package: Package
    handler: Callable[..., Awaitable[Any]]
    arguments: type[msgspec.Struct]
    takes_struct: bool
    wants: frozenset[str]
    provided: dict[str, Any]
    schema: dict[str, Any]

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def source(self) -> str:
        """`shipped`, or the id of a plugin."""
        return self.package.source

    @property
    def is_shipped(self) -> bool:
        """Whether it is on for teams that have not decided."""
        return self.package.is_ours

    def to_arguments(self, parsed: msgspec.Struct) -> dict[str, Any]:
        """Return the arguments as the handler takes them."""
        if self.takes_struct:
            return {_WHOLE: parsed}
        return {name: getattr(parsed, name) for name in parsed.__struct_fields__}


class _Mismatch(Exception):
    """A row and its handler do not match."""


def bind(
    modules: Iterable[ModuleType], provided: Mapping[type, Any], package: Package
) -> tuple[list[BoundTool], list[str]]:
    """Bind every row to its handler; return the tools and all faults found."""
    tools, faults = list[BoundTool](), list[str]()
    for module in modules:
        for row in module.TOOLS:
            try:
                tools.append(_bind_row(row, module, provided, package))
            except (_Mismatch, TypeError, ValueError) as fault:
                faults.append(f"{row.name}: {fault}")
    return tools, faults


def _bind_row(row: Tool, module: ModuleType, provided: Mapping[type, Any], package: Package) -> BoundTool:
    handler = getattr(module, row.handler, None)
    if not inspect.iscoroutinefunction(handler):
        raise _Mismatch(f"{module.__name__} has no async function {row.handler}")
    if not _NAME.fullmatch(row.name):
        raise _Mismatch("the name is not lower-case letters, digits and underscores")
    if not row.doc:
        raise _Mismatch("no doc line")
    hints, signature = get_type_hints(handler), inspect.signature(handler)
    own = {name: each for name, each in signature.parameters.items() if _is_argument(name, hints, provided)}
    shape = _shape(row, handler, own)
    return BoundTool(
        row=row, package=package, handler=handler, arguments=shape, takes_struct=_WHOLE in own,
        wants=frozenset(signature.parameters) & _GATE_ARGUMENTS,
        provided={name: provided[hints[name]] for name in signature.parameters if hints.get(name) in provided},
        schema=schema.describe(shape),
    )  # fmt: skip


def _is_argument(name: str, hints: Mapping[str, Any], provided: Mapping[type, Any]) -> bool:
    return name not in _GATE_ARGUMENTS and hints.get(name) not in provided


def _shape(row: Tool, handler: Callable[..., Any], own: Mapping[str, inspect.Parameter]) -> type[msgspec.Struct]:
    """Return the struct of the arguments: the one that the handler takes, or one made of its parameters."""
    hints = get_type_hints(handler, include_extras=True)
    if _WHOLE in own:
        return _given_shape(hints.get(_WHOLE), own)
    for name, parameter in own.items():
        if name not in hints or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise _Mismatch(f"the parameter {name} has no type")
    fields = [
        (name, hints[name]) if each.default is each.empty else (name, hints[name], each.default)
        for name, each in own.items()
    ]
    return msgspec.defstruct(row.name, fields, frozen=True, kw_only=True, forbid_unknown_fields=True)


def _given_shape(shape: Any, own: Mapping[str, inspect.Parameter]) -> type[msgspec.Struct]:
    if not (isinstance(shape, type) and issubclass(shape, msgspec.Struct)):
        raise _Mismatch(f"{_WHOLE} is not a struct")
    if len(own) > 1:
        raise _Mismatch(f"no value for {', '.join(name for name in own if name != _WHOLE)}")
    if not shape.__struct_config__.forbid_unknown_fields:
        raise _Mismatch(f"{shape.__name__} must forbid unknown fields")
    return shape
