"""Which packages the last commit and the working tree changed: a normal run tests those in every combination.

Where several commits are tested at once, `CHANGED_SINCE` names the one before them.
"""

import os
import subprocess
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

from teamspace import wiring
from teamspace.core.routing import Route
from tests.support import console_imports

ROOT = Path(__file__).parents[2]
_OWNERS = {
    route.name: "plugins" if contribution.package.is_plugin else contribution.package.name.rpartition(".")[2]
    for contribution in wiring.SHIPPED.contributions
    for route in contribution.rows.get(Route, ())
}


_DEPENDENCIES = {"console": {"localization"}, "s3": {"repository", "blobs"}}
"""Further packages that the tests of a folder depend on."""


def is_touched(item: pytest.Item) -> bool:
    """Whether the file of a test has changed, the package it tests, or what it is `about`."""
    package = package_of(item)
    named = {name for marker in item.iter_markers("about") for name in marker.args}
    file = "/".join(_parts_of(item.path))
    return bool(changed() & {file, package, *_DEPENDENCIES.get(package, ()), *named})


def package_of(item: pytest.Item) -> str:
    """The package that owns the route of the test's case, or the test's folder."""
    parameters = getattr(item, "callspec", None)
    for value in parameters.params.values() if parameters else ():
        if route := getattr(value, "route", None):
            return _OWNERS.get(route.partition("?")[0], "")
    return folder_of(item)


def folder_of(item: pytest.Item) -> str:
    """The folder of `tests/` with the test."""
    return _parts_of(item.path)[1]


@cache
def _parts_of(path: Path) -> tuple[str, ...]:
    """The path of a file in the repository; cached, since a file has up to a thousand tests."""
    return path.relative_to(ROOT).parts


@cache
def commit() -> str:
    """The commit under test; empty without a git history."""
    return _git("rev-parse", "HEAD").strip()


@cache
def changed() -> frozenset[str]:
    """Packages, test files, test folders, `console` and `console/<feature>`; empty without a git history."""
    paths = (
        Path(line).parts
        for line in _git(
            "diff", "--name-only", os.environ.get("CHANGED_SINCE", "HEAD~1"), "--", "teamspace", "tests", "console"
        ).splitlines()
    )
    return frozenset().union(*(_concerned(parts) for parts in paths if len(parts) > 2))


def _concerned(parts: tuple[str, ...]) -> frozenset[str]:
    """What a change of a file concerns. Features do not import each other, so a change to one concerns only its own
    screens, and one to what some of them share the screens of those.
    """
    match parts:
        case ("teamspace", "core", "db", *_):
            return frozenset({"db"})
        case ("console", *_, name) if ".test." in name:
            return frozenset()  # the console's own tests run in any case
        case ("console", "src", "features", feature, *_) if parts[-1] != "screens.ts":
            return frozenset({f"console/{feature}"})
        case ("console", "src", "ui", *_):
            return console_imports.parts_using(ROOT / "console/src", PurePosixPath(*parts[2:]))
        case ("console", *_):
            return frozenset({console_imports.EVERYTHING})
        case ("tests", *_, name) if name.startswith("test_"):
            return frozenset({"/".join(parts)})
        case _:
            return frozenset({parts[1]})


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False).stdout
