"""What the last commit and the working tree have changed: of that, the ordinary run leaves out no combination."""

import subprocess
from functools import cache
from pathlib import Path

import pytest

from teamspace import routes

ROOT = Path(__file__).parents[2]
_OWNERS = {" ".join(name.split()): capability for name, capability in routes.ORDER}


def is_touched(item: pytest.Item) -> bool:
    return capability_of(item) in changed()


def capability_of(item: pytest.Item) -> str:
    """The owner of the route that a test is about, else of the folder that it is in."""
    parameters = getattr(item, "callspec", None)
    for value in parameters.params.values() if parameters else ():
        if route := getattr(value, "route", None):
            return _OWNERS.get(route.partition("?")[0], "")
    return item.path.relative_to(ROOT / "tests").parts[0]


@cache
def changed() -> frozenset[str]:
    """Names of capabilities; none where git has no history to ask."""
    asked = subprocess.run(
        ["git", "diff", "--name-only", "HEAD~1", "--", "teamspace"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return frozenset(parts[1] for line in asked.stdout.splitlines() if len(parts := Path(line).parts) > 2)
