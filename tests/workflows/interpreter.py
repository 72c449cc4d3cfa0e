"""Runs a spec in plain Python, straight from its JSON: what the language must agree with, and shares no code with."""

import fnmatch
from collections.abc import Callable, Container, Mapping
from typing import Any

import msgspec

Tool = Callable[[dict[str, Any]], Any]


class Outcome(msgspec.Struct):
    """How a run ended: the steps in order with the number of their jobs, and what they gave."""

    state: str = "running"
    trace: list[tuple[str, int]] = msgspec.field(default_factory=list)
    outputs: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    used: int = 0
    failed_step: str | None = None
    reason: str | None = None
    """`max_steps_exceeded`, `not_a_list`, or `tool`."""


IDS = {"run.id": "run-1", "team.id": "team-1", "user.id": "user-1", "locale": "nl", "principal.locale": "is"}


class ToolError(Exception):
    """A tool does not take its arguments."""


def run(
    raw: dict[str, Any],
    given: dict[str, Any],
    tools: Mapping[str, Tool],
    ids: Mapping[str, str] = IDS,
    broken: Container[tuple[str, int]] = (),
    done: Mapping[tuple[str, int], Any] | None = None,
) -> Outcome:
    """Run a valid spec to its end. Items that are `broken` fail; of those that are `done` the result is known."""
    done = done or {}
    outcome = Outcome()
    names = {"input": given, "ids": ids, "outputs": outcome.outputs}
    order = [step["id"] for step in raw["steps"]]
    current: str | None = raw["start"]
    while current is not None:
        place = order.index(current)
        step = raw["steps"][place]
        following = order[place + 1] if place + 1 < len(order) else None
        if step.get("end"):
            following = None
        items = [None]
        if step["kind"] == "map":
            items = value_of(step["over"], names)
            if not isinstance(items, list):
                return fail(outcome, current, "not_a_list")
        if outcome.used + len(items) > raw["max_steps"]:
            return fail(outcome, current, "max_steps_exceeded")
        outcome.used += len(items)
        outcome.trace.append((current, len(items)))
        if step["kind"] == "choice":
            branch = done[current, 0] if (current, 0) in done else holds(step["when"], names)
            following = step["then"] if branch else step["else"]
        else:
            try:
                results = []
                for index, item in enumerate(items):
                    if (current, index) in done:
                        results.append(done[current, index])
                        continue
                    arguments = value_of(step.get("with", {}), names | {"item": item, "index": index})
                    if (current, index) in broken:
                        raise ToolError
                    results.append(tools[step["tool"]](arguments))
            except ToolError:
                return fail(outcome, current, "tool")
            if step["kind"] == "tool":
                outcome.outputs[current] = {"result": results[0]}
            else:
                outcome.outputs[current] = {
                    "results": [{"index": index, "result": result} for index, result in enumerate(results)]
                }
        current = following
    outcome.state = "succeeded"
    return outcome


def fail(outcome: Outcome, step: str, reason: str) -> Outcome:
    outcome.state, outcome.failed_step, outcome.reason = "failed", step, reason
    return outcome


def value_of(binding: Any, names: Mapping[str, Any]) -> Any:
    if isinstance(binding, dict):
        if "$lit" in binding:
            return binding["$lit"]
        if "$ref" in binding:
            return look_up(binding["$ref"], names)
        return {key: value_of(part, names) for key, part in binding.items()}
    if isinstance(binding, list):
        return [value_of(part, names) for part in binding]
    return binding


def look_up(reference: str, names: Mapping[str, Any]) -> Any:
    if reference in names["ids"]:
        return names["ids"][reference]
    root, *path = reference.split(".")
    if root == "index":
        return names["index"]
    if root == "item":
        value = names["item"]
    elif root == "input":
        value = names["input"][path.pop(0)]
    else:
        value = names["outputs"][path.pop(0)]
        path.pop(0)  # "output"
    for part in path:
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, ValueError, TypeError):
            return None
    return value


def holds(predicate: dict[str, Any], names: Mapping[str, Any]) -> bool:
    ((name, operands),) = predicate.items()
    if name == "empty":
        return value_of(operands, names) in (None, "", [], {}) and value_of(operands, names) is not False
    if name == "exists":
        return value_of(operands, names) is not None
    left, right = value_of(operands, names)
    if name == "equals":
        return marked(left) == marked(right)
    if name == "in":
        return isinstance(right, list) and marked(left) in [marked(part) for part in right]
    if name == "contains":
        if isinstance(left, list):
            return marked(right) in [marked(part) for part in left]
        return isinstance(left, str | dict) and isinstance(right, str) and right in left
    if name == "greater_than":
        kinds = [float if type(side) is int else type(side) for side in (left, right)]
        return kinds[0] is kinds[1] and kinds[0] in (float, str) and left > right
    assert name == "matches"
    return isinstance(left, str) and isinstance(right, str) and fnmatch.fnmatchcase(left, right)


def marked(value: Any) -> Any:
    """Return a value in which true and 1 differ."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, list):
        return [marked(part) for part in value]
    if isinstance(value, dict):
        return {key: marked(part) for key, part in value.items()}
    return value
