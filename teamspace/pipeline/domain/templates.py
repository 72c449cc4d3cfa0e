"""Text templates: `{{field}}`, `{{nested.field}}` and `{{#list}}...{{/list}}`, and nothing else.

No code and no attributes: a path leads through JSON only. `{{.}}` is the item of a list. What looks different, such as
`{{x.__class__}}` or `{% if %}`, is text. Time is limited by the number of steps, whatever template and data are.
"""

import html
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from teamspace.core.errors import BadRequest, TooLarge

MARK = re.compile(
    r"\{\{[ \t]{0,20}+([#/]?)[ \t]{0,20}+([^\W_][\w-]{0,99}+(?:\.[^\W_][\w-]{0,99}+){0,31}+|\.)[ \t]{0,20}+\}\}"
)
MAX_OUTPUT = 4 * 1024 * 1024
"""In characters."""
MAX_STEPS = 500_000
"""Pieces of a template that are rendered: nested lists can multiply them without any output."""
MAX_DEPTH = 20
MAX_MISSING = 100
_MAX_NAME = 200
_PLACE = "/arguments/template"

Escape = Callable[[str], str]


class Field(msgspec.Struct, frozen=True, gc=False):
    path: str


class Section(msgspec.Struct, frozen=True):
    path: str
    parts: "list[TemplatePart]"


TemplatePart = str | Field | Section


class Rendering:
    """What rendering has used up, and which fields it did not find."""

    def __init__(self, data: Any, escape: Escape) -> None:
        self.scopes: list[Any] = [data]
        self.missing: dict[str, None] = {}
        self._escape = escape
        self._steps, self._size = 0, 0

    def text(self, path: str) -> str:
        """Return the value of a field as text; what is missing or null is empty, and noted."""
        value = self.find(path)
        if value is None:
            self._miss(path)
            return ""
        return self.add(self._escape(_to_text(value)))

    def add(self, text: str) -> str:
        """Count a step and its output."""
        self._steps += 1
        self._size += len(text)
        if self._steps > MAX_STEPS or self._size > MAX_OUTPUT:
            raise TooLarge("pipeline.output", limit=MAX_OUTPUT)
        return text

    def items(self, path: str) -> Iterator[None]:
        """Enter each item of a list, or an object; a value that is empty or false has none."""
        value = self.find(path)
        if value is None:
            self._miss(path)
        for item in value if isinstance(value, list) else [value] if value else []:
            self.add("")
            self.scopes.append(item)
            try:
                yield
            finally:
                self.scopes.pop()

    def find(self, path: str) -> Any:
        """Return a value: the first name is looked up in the innermost scope that has it."""
        if path == ".":
            return self.scopes[-1]
        first, *rest = path.split(".")
        value = next(
            (scope[first] for scope in reversed(self.scopes) if isinstance(scope, dict) and first in scope), None
        )
        for name in rest:
            value = _step(value, name)
        return value

    def _miss(self, path: str) -> None:
        if len(self.missing) < MAX_MISSING:
            self.missing[path] = None


def _step(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return value.get(name)
    if isinstance(value, list) and name.isascii() and name.isdigit() and len(name) < 9:
        return value[int(name)] if int(name) < len(value) else None
    return None


def _to_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ", ".join(map(_to_text, value))
    return msgspec.json.encode(value).decode()


def parse(template: str) -> list[TemplatePart]:
    """Return the parts of a template; raise BadRequest if a section is not closed where it should be."""
    open_sections: list[Section] = [Section("", [])]
    place = 0
    for mark in MARK.finditer(template):
        if mark.start() > place:
            open_sections[-1].parts.append(template[place : mark.start()])
        place = mark.end()
        kind, path = mark[1], mark[2]
        if kind == "#":
            if len(open_sections) > MAX_DEPTH:
                raise BadRequest.at(_PLACE, "pipeline.too_nested", limit=MAX_DEPTH)
            open_sections.append(Section(path, []))
        elif kind == "/":
            if len(open_sections) == 1 or open_sections[-1].path != path:
                raise unbalanced(path)
            closed = open_sections.pop()
            open_sections[-1].parts.append(closed)
        else:
            open_sections[-1].parts.append(Field(path))
    if len(open_sections) > 1:
        raise unbalanced(open_sections[-1].path)
    if place < len(template):
        open_sections[0].parts.append(template[place:])
    return open_sections[0].parts


def unbalanced(path: str) -> BadRequest:
    return BadRequest.at(_PLACE, "pipeline.section", name=path[:_MAX_NAME])


def render(parts: list[TemplatePart], rendering: Rendering) -> str:
    return "".join(_render(parts, rendering))


def _render(parts: list[TemplatePart], rendering: Rendering) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str):
            yield rendering.add(part)
        elif isinstance(part, Field):
            yield rendering.text(part.path)
        else:
            for _ in rendering.items(part.path):
                yield from _render(part.parts, rendering)


def escape_html(text: str) -> str:
    return html.escape(text, quote=True)


def keep(text: str) -> str:
    return text
