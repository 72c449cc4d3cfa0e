"""The SQL statements of the stores, found in their source."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from teamspace.core.db.migrate import bundled_migrations
from tests.architecture.source import ROOT

_SOURCE = re.compile(r"(?<!DELETE )\b(?:FROM|JOIN) \(?(\w+|\{[^{}]+\})")
_COLUMN = re.compile(r"\b(\w+)\.id\b")
"""Names the table of a join that the dialect writes."""
_WRITE = re.compile(r"\b(?:INSERT INTO|UPDATE (?:\w+|\{\w+\}) SET|DELETE FROM)\b")


@dataclass(frozen=True)
class Statement:
    """A function that runs SQL. Its text includes the constants and helpers of the module that it uses."""

    name: str
    text: str
    arguments: tuple[str, ...]

    @property
    def is_write(self) -> bool:
        return _WRITE.search(self.text) is not None

    @property
    def sources(self) -> set[str]:
        """The tables it reads; an expression in braces is a table chosen by the caller."""
        return {*_SOURCE.findall(self.text), *_COLUMN.findall(self.text)}


def sources() -> dict[str, str]:
    """The modules that contain SQL."""
    stores = {path.parent.name: path.read_text() for path in sorted(ROOT.rglob("store.py"))}
    return stores | {f"db.{path.stem}": path.read_text() for path in sorted((ROOT / "core" / "db").glob("*.py"))}


def statements(modules: dict[str, str] | None = None) -> Iterator[Statement]:
    for package, source in (modules or sources()).items():
        module = ast.parse(source)
        known = _definitions(module)
        for node in ast.walk(module):
            if isinstance(node, ast.AsyncFunctionDef):
                arguments = [*node.args.args, *node.args.kwonlyargs]
                kinds = tuple(ast.unparse(argument.annotation) for argument in arguments if argument.annotation)
                yield Statement(f"{package}.{node.name}", _text(node, known, {node.name}), kinds)


def _definitions(module: ast.Module) -> dict[str, ast.AST]:
    """The constants and helper functions of a module, by name."""
    known: dict[str, ast.AST] = {}
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            known[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            known[node.targets[0].id] = node.value
    return known


def _text(node: ast.AST, known: dict[str, ast.AST], seen: set[str]) -> str:
    """The strings in a node, and in the definitions it names; what is computed stays in braces."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part, known, seen) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return _text(node.value, known, seen).strip() or f"{{{ast.unparse(node.value)}}}"
    if isinstance(node, ast.Name) and node.id in known and node.id not in seen:
        return _text(known[node.id], known, seen | {node.id})
    skipped = ast.get_docstring(node) if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef) else None
    children = [] if isinstance(node, ast.arguments) else ast.iter_child_nodes(node)
    texts = (_text(child, known, seen) for child in children)
    return " ".join(text for text in texts if text.strip() and text != skipped)


def tenant_tables() -> set[str]:
    """The tables of the migrations whose rows belong to a company or a team."""
    return {
        name
        for migration in bundled_migrations()
        for name, columns in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\) STRICT", migration.sql, re.DOTALL)
        if re.search(r"^\s+(?:org_id|team_id) TEXT", columns, re.MULTILINE)
    }
