"""The syntax of the server's files, parsed once for all tests of this folder, which share a worker.

Read by the tests and not at import: every pytest-xdist worker imports these modules.
"""

import ast
import gc
from functools import cache
from pathlib import Path

import teamspace

ROOT = Path(teamspace.__file__).parent


@cache
def modules() -> dict[Path, ast.Module]:
    """Every file, in the order of their paths."""
    gc.disable()  # half a million nodes that stay: the collector would walk them again and again
    try:
        return {path: ast.parse(path.read_text()) for path in sorted(ROOT.rglob("*.py"))}
    finally:
        gc.freeze()
        gc.enable()


@cache
def nodes(path: Path) -> list[ast.AST]:
    """All nodes of a file, outer ones first."""
    return list(ast.walk(modules()[path]))


def last_name(expression: ast.expr) -> str:
    """The name that a function or class is used by, without its module."""
    match expression:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
    return ast.unparse(expression).split(".")[-1]
