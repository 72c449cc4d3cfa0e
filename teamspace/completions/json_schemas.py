"""JSON schemas as people send them, checked before use. Whatever they ask for, a check takes limited time.

Schemas are compiled, and values checked, in a process for each thread of the pool for schemas.
"""

import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Set
from typing import Any
from urllib.parse import unquote

import jsonschema_rs
import msgspec

from teamspace.completions import validator
from teamspace.completions.validator import SchemaCheck, SchemaVerdict
from teamspace.core.errors import BadRequest

MAX_BYTES = 64 * 1024
MAX_DEPTH = 50
MAX_APPLIED = 10_000
"""Schemas that may apply to one value."""

_DATA = frozenset({"const", "enum", "default", "examples"})
"""Keywords that hold any JSON, no schemas."""
_UNSUPPORTED = frozenset({"$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor"})
_SAME_VALUE = ("not", "if", "then", "else")
_SAME_VALUE_LISTS = ("allOf", "anyOf", "oneOf")
_SAME_VALUE_MAPS = ("dependentSchemas", "dependencies")
"""Keywords with schemas for the same value."""

Schema = dict[str, Any] | bool


class TooComplex(Exception):
    """The check takes too much time or memory."""


class InvalidValue(Exception):
    """A value does not fit its schema: where (a JSON pointer) and why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path, self.reason = path, reason


def check(schema: dict[str, Any], at: str) -> None:
    """Raise BadRequest, with the place below the pointer `at`, if the schema cannot be used. For a thread."""
    _check_size(schema, at)
    _check_keywords(schema, at)
    _check_repetition(schema, at)
    try:
        verdict = _verdict(SchemaCheck(schema))
    except TooComplex:
        raise BadRequest.at(at, "schema.too_complex") from None
    if not verdict.schema_is_valid:
        raise BadRequest.at(at + pointer(verdict.path), "schema.invalid", reason=verdict.reason)


def validate(schema: dict[str, Any], value: msgspec.Raw) -> None:
    """Raise InvalidValue if the value does not fit a schema that was checked before, or cannot be checked. For a thread."""
    try:
        verdict = _verdict(SchemaCheck(schema, value))
    except TooComplex:
        raise InvalidValue("", "checking it would take too long") from None
    if not verdict.value_is_valid:
        raise InvalidValue(pointer(verdict.path), verdict.reason)


def first_match(pattern: str, texts: Iterable[str]) -> str | None:
    """Return the first of some short texts that matches the pattern of a schema, which was checked before."""
    try:
        rule = validator.compiled({"pattern": pattern})
    except jsonschema_rs.ValidationError:
        return None
    return next((text for text in texts if rule.is_valid(text)), None)


def pointer(path: Iterable[str | int]) -> str:
    """Return the JSON pointer of a path."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def resolve(schema: Schema, reference: str) -> Schema | None:
    """Return what a local reference (`#`, `#/...`) names; None if there is no such schema."""
    found: Any = schema
    for part in unquote(reference).removeprefix("#").split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        elif isinstance(found, dict) and name in found:
            found = found[name]
        else:
            return None
    return found if isinstance(found, dict | bool) else None


def _check_size(schema: dict[str, Any], at: str) -> None:
    try:
        size = len(msgspec.json.encode(schema))
    except RecursionError:
        size = MAX_BYTES + 1
    if size > MAX_BYTES:
        raise BadRequest.at(at, "schema.too_large", limit=MAX_BYTES)


def _check_keywords(schema: dict[str, Any], at: str) -> None:
    unsupported = _UNSUPPORTED | ({"id"} if "draft-04" in str(schema.get("$schema")) else set())
    todo: list[tuple[str, int, Any, bool]] = [(at, 1, schema, False)]
    while todo:
        place, depth, node, is_data = todo.pop()
        if depth > MAX_DEPTH:
            raise BadRequest.at(at, "schema.too_deep", limit=MAX_DEPTH)
        if isinstance(node, list):
            todo += [(f"{place}/{number}", depth + 1, item, is_data) for number, item in enumerate(node)]
        if not isinstance(node, dict):
            continue
        if not is_data:
            _check_references(node, place, unsupported if depth == 1 else unsupported | {"$id"})
        todo += [(place + pointer([key]), depth + 1, item, is_data or key in _DATA) for key, item in node.items()]


def _check_references(node: dict[str, Any], place: str, unsupported: Set[str]) -> None:
    for keyword, value in node.items():
        if keyword == "$ref" and isinstance(value, str) and value != "#" and not value.startswith("#/"):
            raise BadRequest.at(f"{place}/$ref", "schema.reference")
        if isinstance(value, str) and keyword in unsupported:
            raise BadRequest.at(place + pointer([keyword]), "schema.keyword")


def _check_repetition(schema: dict[str, Any], at: str) -> None:
    """Refuse schemas that refer to each other so often that the check of any value can take too long."""
    todo: list[Any] = [schema]
    applied = 0
    while todo and applied <= MAX_APPLIED:
        rule = todo.pop()
        if isinstance(rule, dict):
            applied += 1
            todo += _same_value(rule, schema)
    if applied > MAX_APPLIED:
        raise BadRequest.at(at, "schema.too_complex")


def _same_value(rule: dict[str, Any], root: dict[str, Any]) -> Iterator[Any]:
    """Yield the schemas that a schema applies to its own value."""
    yield from (rule.get(keyword) for keyword in _SAME_VALUE)
    for keyword in _SAME_VALUE_LISTS:
        yield from others if isinstance(others := rule.get(keyword), list) else ()
    for keyword in _SAME_VALUE_MAPS:
        yield from others.values() if isinstance(others := rule.get(keyword), dict) else ()
    if isinstance(reference := rule.get("$ref"), str):
        yield resolve(root, reference)


# The process


class _Process:
    def __init__(self) -> None:
        # It ends with this one, when its standard input does.
        self._process = subprocess.Popen(
            [sys.executable, "-I", validator.__file__], bufsize=-1, env={"LANG": "C.UTF-8"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert self._process.stdin and self._process.stdout
        self._requests, self._verdicts = self._process.stdin, self._process.stdout
        if self._verdicts.read(len(validator.READY)) != validator.READY:
            raise RuntimeError(f"the process that checks JSON schemas cannot start, with code {self._process.wait()}")

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def verdict(self, request: bytes) -> SchemaVerdict:
        try:
            validator.send(self._requests, request)
        except BrokenPipeError:
            raise TooComplex from None
        size = self._verdicts.read(validator.SIZE_BYTES)
        if not size:
            raise TooComplex
        return msgspec.json.decode(self._verdicts.read(int.from_bytes(size, "big")), type=SchemaVerdict)

    def end(self) -> None:
        self._process.kill()
        with self._process:  # closes the pipes and waits
            pass


class _ThreadProcess(threading.local):
    process: _Process | None = None


_of_thread = _ThreadProcess()


def _verdict(check: SchemaCheck) -> SchemaVerdict:
    process = _of_thread.process
    if process is None or not process.is_alive:
        process = _of_thread.process = _Process()
    try:
        return process.verdict(msgspec.json.encode(check))
    except BaseException:
        _of_thread.process = None
        process.end()
        raise
