"""Bindings: values of a spec in which references stand for values of the run."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from teamspace.workflows.domain.language.references import Reference, follow, reference_in
from teamspace.workflows.domain.language.specs import CallStep, ChoiceStep, MapStep, SpecStep

MAX_DEPTH = 32
"""Of a spec, and so of every binding."""


class BindingScope(msgspec.Struct, frozen=True, kw_only=True):
    """The values that references can name."""

    input: Mapping[str, Any]
    outputs: Mapping[str, Mapping[str, Any]]
    """By step: `{"result": value}` of a call, `{"results": [{"index": 0, "result": value}, …]}` of a map."""
    run_id: str
    team_id: str
    user_id: str
    locale: str
    principal_locale: str
    item: Any = UNSET
    index: int | None = None


class Needs(msgspec.Struct, frozen=True):
    """What a step reads of its run."""

    input: bool
    steps: frozenset[str]
    """The steps whose outputs it reads."""


def bind(binding: Any, scope: BindingScope) -> Any:
    """Return the value of a binding. A path that leads nowhere is None."""
    return _bind(binding, scope, MAX_DEPTH)


def item_at(step: MapStep, scope: BindingScope, index: int) -> Any:
    """Return the item of a map at an index; None if the list is shorter."""
    over = step.over if isinstance(step.over, list) else bind(step.over, scope)
    if not isinstance(over, list) or index >= len(over):
        return None
    return bind(over[index], scope) if isinstance(step.over, list) else over[index]


def needs_of(step: SpecStep) -> Needs:
    """Return what must be loaded before the step's bindings can be bound."""
    found = list(references_of(step))
    steps = frozenset(each.name for each in found if each.source in ("result", "results"))
    return Needs(any(each.source == "input" for each in found), steps)


def references_of(step: SpecStep) -> Iterator[Reference]:
    """Yield every reference of a step."""
    match step:
        case CallStep():
            yield from references_in(step.arguments)
        case MapStep():
            yield from references_in([step.over, step.arguments])
        case ChoiceStep():
            yield from references_in(step.when)


def references_in(binding: Any) -> Iterator[Reference]:
    """Yield every reference in a binding."""
    todo = [binding]
    while todo:
        each = todo.pop()
        if reference := reference_in(each):
            yield reference
        elif isinstance(each, list):
            todo += each
        elif isinstance(each, dict) and "$lit" not in each:
            todo += each.values()


def size_of(binding: Any) -> int:
    """Return how many values a binding has, which is what binding it takes."""
    todo, size = [binding], 0
    while todo:
        each = todo.pop()
        size += 1
        if isinstance(each, list):
            todo += each
        elif isinstance(each, dict) and "$lit" not in each:
            todo += each.values()
    return size


def _bind(binding: Any, scope: BindingScope, depth: int) -> Any:
    if depth < 0:
        raise ValueError("the binding is nested too deep")
    if isinstance(binding, list):
        return [_bind(each, scope, depth - 1) for each in binding]
    if not isinstance(binding, dict):
        return binding
    if "$lit" in binding:
        return binding["$lit"]
    if reference := reference_in(binding):
        return resolve(reference, scope)
    return {name: _bind(each, scope, depth - 1) for name, each in binding.items()}


def resolve(reference: Reference, scope: BindingScope) -> Any:
    """Return the value that a reference names; None if there is none."""
    match reference.source:
        case "input":
            return follow(scope.input.get(reference.name), reference.path)
        case "result" | "results":
            return follow(scope.outputs.get(reference.name, {}).get(reference.source), reference.path)
        case "item":
            return None if scope.item is UNSET else follow(scope.item, reference.path)
        case "index":
            return scope.index
        case "locale":
            return scope.locale
        case "run.id":
            return scope.run_id
        case "team.id":
            return scope.team_id
        case "user.id":
            return scope.user_id
        case "principal.locale":
            return scope.principal_locale
