"""One name per class, and a glossary whose names exist."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from tests.architecture.source import ROOT, modules, nodes

GLOSSARY = ROOT.parent / "docs" / "glossary.md"


def public_classes() -> Iterator[str]:
    """Return those of the server: the client's models have the same names as what they are read from."""
    for path in modules():
        if path.is_relative_to(ROOT / "client"):
            continue
        for node in nodes(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name


def names_in_code() -> Iterator[str]:
    """Return every code reference of the glossary: the last cell of a row, in backticks."""
    for line in GLOSSARY.read_text().splitlines():
        if line.startswith("|") and line.count("|") == 4:
            yield from re.findall(r"`([^`]+)`", line.rsplit("|", 2)[1])


def test_no_two_public_classes_share_a_name() -> None:
    assert {name: count for name, count in Counter(public_classes()).items() if count > 1} == {}


def test_the_glossary_names_code_that_exists() -> None:
    source = "\n".join(path.read_text() for path in ROOT.rglob("*") if path.suffix in {".py", ".sql"})
    words = set(re.findall(r"\w+", source))
    assert [name for name in sorted(set(names_in_code())) if not _exists(name, words)] == []


def _exists(name: str, words: set[str]) -> bool:
    if name.startswith("SERVICE_"):
        return f'"{name}"' in (ROOT / "settings.py").read_text()
    parts = re.split(r"[./]", name.removesuffix("/").removesuffix(".py"))
    return all((ROOT / part).exists() or part in words for part in parts)
