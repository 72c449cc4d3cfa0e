"""What the last commit and the working tree have changed: of that, the ordinary run leaves out no combination."""

import subprocess
from functools import cache
from pathlib import Path

import pytest

from teamspace import routes

ROOT = Path(__file__).parents[2]
_OWNERS = {" ".join(name.split()): capability for name, capability in routes.ORDER}


_ALSO = {"console": {"localization"}, "s3": {"repository", "blobs"}}
"""What else decides whether the tests of a folder come out the same."""


def is_touched(item: pytest.Item) -> bool:
    capability = capability_of(item)
    return bool(changed() & ({capability} | _ALSO.get(capability, set())))


def capability_of(item: pytest.Item) -> str:
    """The owner of the route that a test is about, else of the folder that it is in."""
    parameters = getattr(item, "callspec", None)
    for value in parameters.params.values() if parameters else ():
        if route := getattr(value, "route", None):
            return _OWNERS.get(route.partition("?")[0], "")
    return folder_of(item)


def folder_of(item: pytest.Item) -> str:
    """The folder of `tests/` that a test is in."""
    return item.path.relative_to(ROOT / "tests").parts[0]


@cache
def commit() -> str:
    """The commit that is tested; empty where there is no git history."""
    return _git("rev-parse", "HEAD").strip()


@cache
def changed() -> frozenset[str]:
    """Packages, folders of tests, and `console`; none where there is no git history."""
    found = (
        Path(line).parts
        for line in _git("diff", "--name-only", "HEAD~1", "--", "teamspace", "tests", "console").splitlines()
    )
    return frozenset(_subject(parts) for parts in found if len(parts) > 2)


def _subject(parts: tuple[str, ...]) -> str:
    if parts[:3] == ("teamspace", "core", "db"):
        return "db"
    return parts[0] if parts[0] == "console" else parts[1]


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False).stdout
