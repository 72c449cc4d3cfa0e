"""The kinds of work there are, collected from the capabilities' tables and held against their code at boot."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any, get_type_hints

import msgspec

from teamspace.core.db import Tx
from teamspace.core.errors import BadRequest, FeatureDisabled, FieldError, Forbidden, ResponseRefused
from teamspace.core.principal import Principal
from teamspace.core.reading import converted
from teamspace.core.tables import Job
from teamspace.quota import Spend

_RUNNER_GIVES = ("db", "who", "input", "work")


class Kind(msgspec.Struct, frozen=True):
    """A row bound to its functions."""

    row: Job
    handler: Callable[..., Awaitable[msgspec.Struct]] | None
    input: type[msgspec.Struct]
    result: type[msgspec.Struct]
    wants: frozenset[str]
    provided: dict[str, Any]
    estimate: Callable[[Any], Spend] | None
    spent: Callable[[Any], Spend] | None
    check: Callable[[Any, Any], str | None] | None
    on_failure: Callable[[Tx, str, Any, str], Awaitable[None]] | None

    @property
    def name(self) -> str:
        return self.row.kind

    def check_asker(self, who: Principal) -> None:
        """Refused, unless they may do what the kind stands for, and the team has not switched it off."""
        if self.row.feature is not None and self.row.feature not in who.features:
            raise FeatureDisabled(f"The feature {self.row.feature} is off for this team.")
        if self.row.permission is not None and not who.holds(self.row.permission):
            raise Forbidden(f"A job of the kind {self.name} needs {self.row.permission}.")

    def read_input(self, given: Any) -> msgspec.Struct:
        return converted(self.input, given, within="/input")

    def read_result(self, input: msgspec.Struct, given: Any) -> msgspec.Struct:
        """Refused, with the place and the fault, unless it is what this kind promises."""
        try:
            result = converted(self.result, given, within="/result")
        except BadRequest as fault:
            raise ResponseRefused(fault.detail, errors=fault.extra.get("errors")) from None
        if self.check and (problem := self.check(input, result)):
            raise ResponseRefused(problem, errors=(FieldError("/result", problem),))
        return result


class Kinds:
    """All of them, by name."""

    def __init__(self) -> None:
        self._by_name: dict[str, Kind] = {}

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._by_name.values())

    def __getitem__(self, name: str) -> Kind:
        return self._by_name[name]

    def get(self, name: str) -> Kind | None:
        return self._by_name.get(name)

    def callable(self, name: str) -> Kind:
        """One that people may ask for."""
        kind = self._by_name.get(name)
        if kind is None or not kind.row.callable:
            offered = ", ".join(sorted(kind.name for kind in self if kind.row.callable))
            raise BadRequest.at("/kind", f"must be one of {offered}")
        return kind

    def add(self, kinds: Iterable[Kind]) -> None:
        self._by_name |= {kind.name: kind for kind in kinds}


def bind(modules: Iterable[ModuleType], provided: Mapping[type, Any]) -> tuple[list[Kind], list[str]]:
    """Pair every row with its functions; the kinds, and every disagreement found."""
    kinds: list[Kind] = []
    faults: list[str] = []
    for module in modules:
        for row in module.JOBS:
            named = (row.handler, row.estimate, row.spent, row.check, row.on_failure)
            missing = [name for name in named if name and not hasattr(module, name)]
            if missing:
                faults.append(f"{row.kind}: {module.__name__} has no {', '.join(missing)}")
                continue
            kind = _kind(row, module, provided)
            kinds.append(kind)
            faults += _faults(kind)
    names = [kind.name for kind in kinds]
    return kinds, faults + [f"{name}: declared twice" for name in sorted({n for n in names if names.count(n) > 1})]


def _kind(row: Job, module: ModuleType, provided: Mapping[type, Any]) -> Kind:
    handler = getattr(module, row.handler) if row.handler else None
    hints = get_type_hints(handler) if handler else {}
    names = list(inspect.signature(handler).parameters) if handler else []
    return Kind(
        row=row,
        handler=handler,
        input=row.input or hints.get("input", msgspec.Struct),
        result=row.result or hints.get("return", msgspec.Struct),
        wants=frozenset(name for name in names if hints.get(name) not in provided),
        provided={name: provided[hints[name]] for name in names if hints.get(name) in provided},
        estimate=getattr(module, row.estimate) if row.estimate else None,
        spent=getattr(module, row.spent) if row.spent else None,
        check=getattr(module, row.check) if row.check else None,
        on_failure=getattr(module, row.on_failure) if row.on_failure else None,
    )


def _faults(kind: Kind) -> list[str]:
    faults = []
    if unknown := kind.wants - set(_RUNNER_GIVES):
        faults.append(f"{kind.name}: nobody gives its handler {', '.join(sorted(unknown))}")
    for name, shape in (("input", kind.input), ("result", kind.result)):
        if not (isinstance(shape, type) and issubclass(shape, msgspec.Struct)) or shape is msgspec.Struct:
            faults.append(f"{kind.name}: its {name} is no struct")
    if kind.handler is None and not (kind.row.remote and kind.check):
        faults.append(f"{kind.name}: without a handler it must be remote, and check what comes back")
    if (kind.estimate is None) != (kind.spent is None):
        faults.append(f"{kind.name}: a metered kind names both estimate and spent")
    if not kind.row.doc:
        faults.append(f"{kind.name}: no doc line")
    return faults
