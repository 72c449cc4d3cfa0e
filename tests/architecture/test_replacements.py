"""`msgspec.structs.replace` is given only fields of its struct; mypy does not check them."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

import pytest

from tests.architecture.source import ROOT, modules

Expressions = dict[str, ast.expr]


class Replacement(NamedTuple):
    """A call of `replace`, with the class and the names around it."""

    call: ast.Call
    own_class: str
    annotations: Expressions
    values: Expressions


class Structs:
    """The fields of every struct, with those it inherits, and what every function returns."""

    def __init__(self, modules: Iterable[ast.Module]) -> None:
        self._types: defaultdict[str, Expressions] = defaultdict(dict)
        self._bases: defaultdict[str, set[str]] = defaultdict(set)
        self._results: defaultdict[str, set[str | None]] = defaultdict(set)
        for node in (node for module in modules for node in ast.walk(module)):
            match node:
                case ast.ClassDef(name, bases):
                    self._types[name] |= dict(_annotated(node.body))
                    self._bases[name] |= {found for base in bases if (found := _last_name(base))}
                case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                    self._results[name].add(_class_name(node.returns))

    def fields(self, name: str) -> Expressions:
        inherited = {key: kind for base in self._bases.get(name, ()) for key, kind in self.fields(base).items()}
        return inherited | self._types.get(name, {})

    def is_struct(self, name: str) -> bool:
        return any(base == "Struct" or self.is_struct(base) for base in self._bases.get(name, ()))

    @cached_property
    def all_fields(self) -> set[str]:
        return {field for name in list(self._types) if self.is_struct(name) for field in self.fields(name)}

    def unknown_fields(self, made: Replacement) -> list[str]:
        """Keywords that are no fields of the argument's struct, or of any if the source does not show its type."""
        name = self.name_of(made.call.args[0], made)
        known = self.fields(name) if name and self.is_struct(name) else self.all_fields
        return [keyword.arg for keyword in made.call.keywords if keyword.arg and keyword.arg not in known]

    def name_of(self, value: ast.expr, made: Replacement) -> str | None:
        """The class of an expression, if the source shows it."""
        match value:
            case ast.Name("self"):
                return made.own_class
            case ast.Name(name) if name in made.annotations:
                return _class_name(made.annotations[name])
            case ast.Name(name) if name in made.values:
                others = {key: each for key, each in made.values.items() if key != name}
                return self.name_of(made.values[name], made._replace(values=others))
            case ast.Attribute(owner, field):
                found = self.name_of(owner, made)
                return _class_name(self.fields(found).get(field)) if found else None
            case ast.Call(ast.Attribute(attr="replace"), [first, *_]):
                return self.name_of(first, made)
            case ast.Call(ast.Name(name) | ast.Attribute(attr=name)):
                return name if self.is_struct(name) else self._result(name)
            case ast.Await(waited):
                return self.name_of(waited, made)
            case ast.BoolOp(ast.Or(), [*_, last]):
                return self.name_of(last, made)
        return None

    def _result(self, function: str) -> str | None:
        """What all functions of a name return."""
        found = self._results.get(function, set())
        return next(iter(found)) if len(found) == 1 else None


def replacements(module: ast.Module) -> Iterator[Replacement]:
    yield from _replacements(module, "", {}, _assigned(module.body))


def _replacements(
    node: ast.AST, own_class: str, annotations: Expressions, values: Expressions
) -> Iterator[Replacement]:
    match node:
        case ast.ClassDef(name):
            own_class = name
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            annotations = annotations | {each.arg: each.annotation for each in arguments if each.annotation}
            values = values | _assigned(node.body)
        case ast.Call(ast.Attribute(ast.Attribute(_, "structs"), "replace"), [_, *_]):
            yield Replacement(node, own_class, annotations, values)
    for child in ast.iter_child_nodes(node):
        yield from _replacements(child, own_class, annotations, values)


def _assigned(body: list[ast.stmt]) -> Expressions:
    """The first value of every name."""
    values: Expressions = {}
    for statement in body:
        match statement:
            case ast.Assign([ast.Name(name)], value):
                values.setdefault(name, value)
    return values


def _annotated(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for statement in body:
        match statement:
            case ast.AnnAssign(ast.Name(name), annotation):
                yield name, annotation


def _class_name(annotation: ast.expr | None) -> str | None:
    """The class in an annotation: `Note`, `schemas.Note`, `"Note"`, or `Note | None`."""
    match annotation:
        case ast.BinOp(left, ast.BitOr(), ast.Constant(None)):
            return _class_name(left)
        case ast.Constant(str(quoted)):
            return _class_name(ast.parse(quoted, mode="eval").body)
        case ast.Name() | ast.Attribute():
            return _last_name(annotation)
    return None


def _last_name(expression: ast.expr) -> str | None:
    match expression:
        case ast.Name(name) | ast.Attribute(attr=name) | ast.Subscript(ast.Name(name)):
            return name
    return None


def test_replaced_fields_exist() -> None:
    structs = Structs(modules().values())
    unknown = [
        f"{path.relative_to(ROOT)}:{made.call.lineno} {field}"
        for path, module in modules().items()
        if "structs.replace(" in path.read_text()
        for made in replacements(module)
        for field in structs.unknown_fields(made)
    ]
    assert unknown == []


SOURCE = """
class Base(msgspec.Struct):
    id: str

class Note(Base):
    title: str
    author: "User | None" = None

def read() -> Note: ...

class User(msgspec.Struct):
    name: str

    async def change(self, note: Note, notes: list[Note], user: User | None):
        local = await read()
        return msgspec.structs.replace({value}, {field}=1)
"""


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ("self", "title"),
        ("note", "name"),
        ("note.author", "title"),
        ("user", "id"),
        ("read()", "name"),
        ("local", "name"),
        ("msgspec.structs.replace(note, id=2)", "name"),
        ("other or User()", "title"),
        ("notes[0]", "titel"),
    ],
)
def test_an_unknown_field_is_found(value: str, wrong: str) -> None:
    right = {"title": "name", "id": "name", "name": "title", "titel": "title"}[wrong]
    assert unknown_in(SOURCE.format(value=value, field=wrong)) == [wrong]
    assert unknown_in(SOURCE.format(value=value, field=right)) == []


def unknown_in(source: str) -> list[str]:
    module = ast.parse(source)
    structs = Structs([module])
    return [field for made in replacements(module) for field in structs.unknown_fields(made)]
