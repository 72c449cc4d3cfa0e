"""The kinds of jobs, collected from the packages' JOBS tables and checked against their code at boot."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import ModuleType
from typing import Any

import msgspec

from teamspace.core.db import Db, Reads, Tx
from teamspace.core.decoding import convert
from teamspace.core.errors import BadRequest, FeatureDisabled, FieldError, Forbidden, ResponseRefused
from teamspace.core.principal import Principal
from teamspace.core.routing import inspect_function
from teamspace.core.tables import JobSpec
from teamspace.jobs.schemas import EndedJob, Failed, JobFault, JobTitle, Outcome, Succeeded
from teamspace.quota import Spend

_RUNNER_ARGUMENTS = ("db", "who", "input", "work")


class BoundKind(msgspec.Struct, frozen=True):
    """A row of a JOBS table bound to its functions."""

    row: JobSpec
    handler: Callable[..., Awaitable[msgspec.Struct]] | None
    input: type[msgspec.Struct]
    result: type[msgspec.Struct]
    runner_arguments: frozenset[str]
    provided: dict[str, Any]
    estimate: Callable[[Any], Spend] | None
    spent: Callable[[Any], Spend] | None
    check: Callable[[Any, Any], str | Awaitable[str | None] | None] | None
    verify: Callable[[Db, Principal, Any], Awaitable[None]] | None
    assign: Callable[[Db, Principal, Any], Awaitable[msgspec.Struct]] | None
    describe: Callable[[Tx, Principal, Any], Awaitable[JobTitle]] | None
    ended: Callable[[Tx, EndedJob, Outcome], Awaitable[None]] | None
    run_ended: Callable[[Tx, Sequence[tuple[EndedJob, Outcome]]], Awaitable[None]] | None
    steps: Callable[[Reads, Principal, str], Awaitable[Sequence[msgspec.Struct]]] | None

    @property
    def name(self) -> str:
        return self.row.kind

    def check_requester(self, who: Principal) -> None:
        """Raise unless the requester has the kind's permission and its feature is on."""
        if self.row.feature is not None and self.row.feature not in who.features:
            raise FeatureDisabled("rights.feature_off", feature=self.row.feature)
        if self.row.permission is not None and not who.has_permission(self.row.permission):
            raise Forbidden("jobs.needs", kind=self.name, permission=self.row.permission)

    def read_input(self, raw: Any) -> msgspec.Struct:
        return convert(self.input, raw, within="/input")

    async def read_result(self, input: msgspec.Struct, raw: Any) -> msgspec.Struct:
        """Validate the result that a worker sent, or raise ResponseRefused with the field and the fault."""
        try:
            result = convert(self.result, raw, within="/result")
        except BadRequest as fault:
            raise ResponseRefused("jobs.result", problem=fault.detail).with_fields(
                errors=fault.extra["errors"]
            ) from None
        await self._check(input, result)
        return result

    async def judge(self, input: msgspec.Struct, result: msgspec.Struct) -> Succeeded | Failed:
        """Return the outcome of a result of this server. One that is refused has been paid for all the same."""
        try:
            await self._check(input, result)
        except RefusedResult as refused:
            return Failed(JobFault.of(refused, refused.code, retryable=True), refused.spent)
        return Succeeded(result)

    async def _check(self, input: msgspec.Struct, result: msgspec.Struct) -> None:
        if self.check is None:
            return
        found = self.check(input, result)
        if problem := await found if inspect.isawaitable(found) else found:
            raise RefusedResult(problem, self.spent(result) if self.spent else None)


class RefusedResult(ResponseRefused):
    """A result of the right type that the kind's check refused; `spent` is what it has cost."""

    key = "jobs.result_refused"

    def __init__(self, problem: str, spent: Spend | None) -> None:
        super().__init__(problem=problem)
        self.with_fields(errors=(FieldError("/result", problem, self.key, self.params),))
        self.spent = spent


class Kinds:
    """All kinds, by name."""

    def __init__(self) -> None:
        self._by_name: dict[str, BoundKind] = {}

    def __iter__(self) -> Iterator[BoundKind]:
        return iter(self._by_name.values())

    def __getitem__(self, name: str) -> BoundKind:
        return self._by_name[name]

    def get(self, name: str) -> BoundKind | None:
        return self._by_name.get(name)

    def callable(self, name: str) -> BoundKind:
        """Return a kind that people may request."""
        kind = self._by_name.get(name)
        if kind is None or not kind.row.callable:
            offered = ", ".join(sorted(kind.name for kind in self if kind.row.callable))
            raise BadRequest.at("/kind", "value.one_of", choices=offered)
        return kind

    def add(self, kinds: Iterable[BoundKind]) -> None:
        self._by_name |= {kind.name: kind for kind in kinds}


def bind(modules: Iterable[ModuleType], provided: Mapping[type, Any]) -> tuple[list[BoundKind], list[str]]:
    """Bind every row to its functions; return the kinds and all faults found."""
    kinds: list[BoundKind] = []
    faults: list[str] = []
    for module in modules:
        for row in module.JOBS:
            functions = (
                row.handler,
                row.estimate,
                row.spent,
                row.check,
                row.verify,
                row.assign,
                row.describe,
                row.ended,
                row.run_ended,
                row.steps,
            )
            missing = [name for name in functions if name and not hasattr(module, name)]
            if missing:
                faults.append(f"{row.kind}: {module.__name__} has no {', '.join(missing)}")
                continue
            kind = _bind_row(row, module, provided)
            kinds.append(kind)
            faults += _find_faults(kind)
    names = [kind.name for kind in kinds]
    return kinds, faults + [f"{name}: declared twice" for name in sorted({n for n in names if names.count(n) > 1})]


def _bind_row(row: JobSpec, module: ModuleType, provided: Mapping[type, Any]) -> BoundKind:
    handler = getattr(module, row.handler) if row.handler else None
    hints, names = inspect_function(handler) if handler else ({}, ())
    return BoundKind(
        row=row,
        handler=handler,
        input=row.input or hints.get("input", msgspec.Struct),
        result=row.result or hints.get("return", msgspec.Struct),
        runner_arguments=frozenset(name for name in names if hints.get(name) not in provided),
        provided={name: provided[hints[name]] for name in names if hints.get(name) in provided},
        estimate=getattr(module, row.estimate) if row.estimate else None,
        spent=getattr(module, row.spent) if row.spent else None,
        check=getattr(module, row.check) if row.check else None,
        verify=_with_dependencies(getattr(module, row.verify), provided) if row.verify else None,
        assign=_with_dependencies(getattr(module, row.assign), provided) if row.assign else None,
        describe=getattr(module, row.describe) if row.describe else None,
        ended=_with_dependencies(getattr(module, row.ended), provided) if row.ended else None,
        run_ended=_with_dependencies(getattr(module, row.run_ended), provided) if row.run_ended else None,
        steps=getattr(module, row.steps) if row.steps else None,
    )


def _with_dependencies(function: Callable[..., Any], provided: Mapping[type, Any]) -> Callable[..., Any]:
    """Bind the parameters whose types the server provides; the caller passes the others by position."""
    hints, _ = inspect_function(function)
    dependencies = {name: provided[hint] for name, hint in hints.items() if hint in provided}
    return partial(function, **dependencies) if dependencies else function


def _find_faults(kind: BoundKind) -> list[str]:
    faults = []
    if unknown := kind.runner_arguments - set(_RUNNER_ARGUMENTS):
        faults.append(f"{kind.name}: no value for its handler's parameter {', '.join(sorted(unknown))}")
    for name, shape in (("input", kind.input), ("result", kind.result)):
        if not (isinstance(shape, type) and issubclass(shape, msgspec.Struct)) or shape is msgspec.Struct:
            faults.append(f"{kind.name}: its {name} is not a struct")
    if kind.handler is None and not (kind.row.remote and kind.check):
        faults.append(f"{kind.name}: without a handler it must be remote and have a check")
    if (kind.estimate is None) != (kind.spent is None):
        faults.append(f"{kind.name}: a metered kind needs both estimate and spent")
    if not kind.row.doc:
        faults.append(f"{kind.name}: no doc line")
    return faults
