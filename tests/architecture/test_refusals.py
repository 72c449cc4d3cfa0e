"""Every refusal has a key of its own, and the catalog has a text for each key with exactly the parameters passed."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from pathlib import Path

import msgspec
import pytest

from teamspace.core.messages import DEFAULT, catalogs, parameters
from teamspace.core.permissions import Feature
from teamspace.jobs.schemas import State
from teamspace.quota.schemas import Dimension, Level
from teamspace.tenancy.schemas import Role
from teamspace.workflows.schemas import RunState
from tests.architecture.source import ROOT, last_name, modules, nodes

TEXTS = catalogs()[DEFAULT]["refusals"]
KEY = re.compile(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*")
LIMITS = {"Pool": (3, "Overloaded"), "ConcurrencyLimit": (0, "Overloaded"), "KeyedConcurrencyLimit": (0, "RateLimited")}
"""Classes that raise a refusal later: the position of its key, and its class."""
CONSTRUCTORS = {"at": 1, "because": 1, "keyed": 0}
"""Class methods that take a key, and its position."""
EXPLANATIONS = {"JobFault", "Reason", "Unfired", "Waiting"}
"""Classes with a key that are no errors."""
NOT_PARAMETERS = {"at", "retryable", "tokens", "unhealthy", "usage"}
FORWARDED = re.compile(r"key|\w+(\.\w+)*\._?(key|fault)|_[A-Z]+\[.+\]")
"""Keys that are passed on: `key`, `fault.key`, `self._key`, or an entry of a table."""


class Site(msgspec.Struct, frozen=True):
    """Where a key is used: with which class, and with which parameters, if they can be seen."""

    place: str
    owner: str
    key: ast.expr
    params: frozenset[str] | None


def syntax() -> dict[Path, list[ast.AST]]:
    """Of every file but those of the client, whose errors have the server's names and are no refusals."""
    return {path.relative_to(ROOT): nodes(path) for path in modules() if not path.is_relative_to(ROOT / "client")}


@cache
def classes() -> dict[str, ast.ClassDef]:
    """Return the errors with a text in the catalog, by name."""
    every = [node for file in syntax().values() for node in file if isinstance(node, ast.ClassDef)]
    found: dict[str, ast.ClassDef] = {}
    names = {"KeyedError"}
    while names:
        children = {node.name: node for node in every if names & set(map(last_name, node.bases))}
        names = set(children) - set(found)
        found |= children
    return found


def class_key(name: str) -> ast.expr | None:
    for statement in classes()[name].body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "key":
            return statement.value
    return None


def has_constructor(name: str) -> bool:
    return any(isinstance(part, ast.FunctionDef) and part.name == "__init__" for part in classes()[name].body)


def find_sites() -> Iterator[Site]:
    for path, file in syntax().items():
        for node in file:
            place = f"{path}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Call):
                yield from called(node, place)
            elif isinstance(node, ast.ClassDef) and node.name in classes() and (key := class_key(node.name)):
                yield Site(place, node.name, key, passed_to_super(node))
            elif isinstance(node, ast.AnnAssign) and node.value and re.search(r"\bKey\b", ast.unparse(node.annotation)):
                yield from (Site(place, str(path), key, None) for key in keys_in(node.value))
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
                yield from returned(node, ast.unparse(node.returns), place)


def called(call: ast.Call, place: str) -> Iterator[Site]:
    owner, position = last_name(call.func), 0
    if owner in CONSTRUCTORS and isinstance(call.func, ast.Attribute):
        owner, position = last_name(call.func.value), CONSTRUCTORS[owner]
    elif owner in EXPLANATIONS:
        return
    if owner in LIMITS:
        position, owner = LIMITS[owner]
        params: frozenset[str] | None = frozenset({"by", "limit"} if owner == "RateLimited" else ())
    elif owner in EXPLANATIONS or (owner in classes() and not (class_key(owner) and has_constructor(owner))):
        names = {keyword.arg for keyword in call.keywords}
        params = None if None in names else frozenset(str(name) for name in names) - NOT_PARAMETERS
    else:
        return
    if len(call.args) > position:
        yield Site(place, owner, call.args[position], params)


def passed_to_super(node: ast.ClassDef) -> frozenset[str] | None:
    """Return the parameters that the constructor of a class with its own key passes on."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "super().__init__":
            names = {keyword.arg for keyword in call.keywords}
            return None if None in names else frozenset(str(name) for name in names) - NOT_PARAMETERS
    return frozenset()


def returned(function: ast.FunctionDef | ast.AsyncFunctionDef, kind: str, place: str) -> Iterator[Site]:
    if re.search(r"\bKey\b", kind):
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value:
                yield from (Site(place, place, key, None) for key in keys_in(node.value))


def keys_in(value: ast.expr) -> Iterator[ast.expr]:
    for node in ast.walk(value):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and KEY.fullmatch(node.value):
            yield node


def constants(key: ast.expr) -> list[str]:
    """Return the keys that an expression can be; none if it passes a key on."""
    if isinstance(key, ast.IfExp):
        return constants(key.body) + constants(key.orelse)
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return [key.value]
    return []


@cache
def sites() -> list[Site]:
    return list(find_sites())


def used() -> list[tuple[Site, str]]:
    return [(site, key) for site in sites() for key in constants(site.key) if key]


def test_a_key_is_written_out_or_passed_on() -> None:
    """A key that is put together from parts cannot be found in the catalog, nor the other way round."""
    dynamic = {ast.unparse(site.key) for site in sites() if not constants(site.key)}
    assert {key for key in dynamic if not FORWARDED.fullmatch(key)} == set()


def test_every_key_in_the_code_has_a_text() -> None:
    assert {f"{site.place}: {key}" for site, key in used() if key not in TEXTS} == set()


def test_every_text_is_used() -> None:
    assert set(TEXTS) - {key for _, key in used()} == set()


def test_the_parameters_are_those_of_the_text() -> None:
    wrong = [
        f"{site.place}: {key} takes {sorted(parameters(TEXTS[key]))}, not {sorted(site.params)}"
        for site, key in used()
        if site.params is not None and key in TEXTS and site.params != parameters(TEXTS[key])
    ]
    assert wrong == []


def test_a_key_belongs_to_one_refusal() -> None:
    owners = defaultdict(set)
    for site, key in used():
        owners[key].add(site.owner)
    assert {key: sorted(names) for key, names in owners.items() if len(names) > 1} == {}


@pytest.mark.parametrize("locale", catalogs())
def test_texts_have_only_plain_parameters(locale: str) -> None:
    """The server writes them by simple replacement, and the console as ICU messages: both must mean the same."""
    texts = catalogs()[locale].get("refusals", {})
    for key, text in texts.items():
        assert KEY.fullmatch(key), key
        assert locale != DEFAULT or not re.search(r"[{}]", re.sub(r"\{\w+\}", "", text)), key
        assert not re.search(r"'[{}<']|<[A-Za-z/]", text), key
        assert parameters(text) <= parameters(TEXTS[key]), key


# Values inside the texts


CLOSED: dict[str, tuple[type[StrEnum], ...]] = {
    "dimension": (Dimension,), "feature": (Feature,), "level": (Level,), "role": (Role,), "state": (State, RunState),
}  # fmt: skip
"""Parameters whose value is one of a few words; the console shows them by the namespace `refusal_values`.

`by` is one too: its words are the names of the limits.
"""
TYPED = {
    "added", "against", "argument", "capability", "choices", "entry", "expected", "field", "forms", "got", "header", "kind",
    "locale", "methods", "missing", "part", "pattern", "permission", "permissions", "reference", "token", "type", "types", "value",
}  # fmt: skip
"""Identifiers of the API, which people type as they are in every language. The console has names for permissions."""
FREE = {
    "bucket", "company", "error", "executor", "executors", "file", "first", "folder", "host", "id", "input", "key", "message", "model",
    "name", "path", "place", "plugin", "prefix", "problem", "problems", "reason", "server", "slug", "start", "step", "store", "term", "tool",
    "translation", "username", "word",
}  # fmt: skip
"""Names that people gave, and texts of other programs."""
AMOUNTS = {
    "attempt", "bytes", "containers", "count", "keys", "kibibytes", "least", "length", "limit", "line", "most", "needed", "ratio",
    "required", "resets_at", "rows", "seconds", "size", "status", "times", "used", "values", "version",
}  # fmt: skip
"""Numbers and times."""


def limit_names() -> set[str]:
    """Return the values of `by`: what a limit is counted by."""
    calls = [node for file in syntax().values() for node in file if isinstance(node, ast.Call)]
    limits = [call for call in calls if last_name(call.func) == "KeyedConcurrencyLimit"]
    return {str(keyword.arg) for call in limits for keyword in call.keywords}


def fixed_words() -> Iterator[tuple[str, str]]:
    """Return the parameters of refusals whose value is written in the code: a text, or a member of an enum."""
    for path, file in syntax().items():
        for node in file:
            if isinstance(node, ast.Call) and any(called(node, str(path))):
                for keyword in node.keywords:
                    if re.fullmatch(r"'.*'|([A-Z][A-Za-z]*)\.[A-Z_]+", ast.unparse(keyword.value)):
                        yield f"{path}:{node.lineno}", str(keyword.arg)


def test_every_parameter_is_a_word_with_a_translation_or_needs_none() -> None:
    """A new parameter goes into one of these lists; one of a few words goes into CLOSED, and gets its translations."""
    known = [*CLOSED, "by", *TYPED, *FREE, *AMOUNTS]
    assert sorted(known) == sorted({name for text in TEXTS.values() for name in parameters(text)})


def test_a_word_that_is_written_in_the_code_is_an_identifier_or_has_a_translation() -> None:
    found = list(fixed_words())
    assert found and not [(place, name) for place, name in found if name in FREE | AMOUNTS and name != "tool"]


@pytest.mark.parametrize("locale", catalogs())
def test_every_value_of_a_closed_set_has_its_word(locale: str) -> None:
    words = {f"{name}.{word}" for name, kinds in CLOSED.items() for kind in kinds for word in kind}
    words |= {f"by.{name}" for name in limit_names()}
    assert set(catalogs()[locale]["refusal_values"]) == words
