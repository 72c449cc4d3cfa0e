"""The seven predicates of a choice. A comparison of values that cannot be compared is false."""

from typing import Any

from teamspace.workflows.domain.language import globs
from teamspace.workflows.domain.language.bindings import BindingScope, bind

ONE_OPERAND = ("empty", "exists")
TWO_OPERANDS = ("equals", "in", "contains", "greater_than", "matches")


def evaluate(predicate: dict[str, Any], scope: BindingScope) -> bool:
    """Return whether a predicate holds."""
    ((name, operands),) = predicate.items()
    if name in ONE_OPERAND:
        value = bind(operands, scope)
        return value is not None if name == "exists" else is_empty(value)
    left, right = (bind(each, scope) for each in operands)
    match name:
        case "equals":
            return are_equal(left, right)
        case "in":
            return isinstance(right, list) and any(are_equal(left, each) for each in right)
        case "contains":
            return contains(left, right)
        case "greater_than":
            return is_greater(left, right)
        case "matches":
            return isinstance(left, str) and isinstance(right, str) and globs.matches(left, right)
    raise ValueError(f"{name} is not a predicate")


def is_empty(value: Any) -> bool:
    """Return whether a value is null, or a text, list or object without content; 0 and false are not empty."""
    return value is None or (isinstance(value, str | list | dict) and not value)


def are_equal(left: Any, right: Any) -> bool:
    """Compare deeply, without converting: true is not 1. However deep the values are."""
    todo = [(left, right)]
    while todo:
        one, other = todo.pop()
        if isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            todo += zip(one, other, strict=True)
        elif isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            todo += ((one[key], other[key]) for key in one)
        elif isinstance(one, bool) != isinstance(other, bool) or one != other:
            return False
    return True


def contains(whole: Any, part: Any) -> bool:
    """Return whether a text contains a text, a list an element, or an object a name."""
    if isinstance(whole, list):
        return any(are_equal(each, part) for each in whole)
    return isinstance(whole, str | dict) and isinstance(part, str) and part in whole


def is_greater(left: Any, right: Any) -> bool:
    """Compare two numbers, or two texts by the order of their characters, which fits dates such as 2030-01-31."""
    if isinstance(left, str) and isinstance(right, str):
        return left > right
    return _is_number(left) and _is_number(right) and bool(left > right)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
