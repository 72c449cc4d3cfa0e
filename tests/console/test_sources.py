"""The console's sources speak the API as the server describes it today, and have words for all it says."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from hatch_build import TYPES, types
from teamspace import wiring
from teamspace.instance.domain import facts

ROOT = Path(__file__).parents[2]
CONSOLE = ROOT / "console"


def test_the_types_of_the_api_are_made_from_its_description(tmp_path: Path) -> None:
    made = tmp_path / "schema.d.ts"
    types(CONSOLE, made)
    assert made.read_text() == (CONSOLE / TYPES).read_text(), "the API has changed: run scripts/fix"


def test_the_trail_has_words_for_every_action_that_the_server_records() -> None:
    actions = {action for path in (ROOT / "teamspace").rglob("*.py") for action in recorded(path.read_text())}
    known = re.findall(r'"([a-z_.]+)"', (CONSOLE / "src/ui/trail/actions.ts").read_text().partition("as const")[0])
    assert sorted(known) == sorted(actions)


def test_every_kind_of_job_has_words() -> None:
    kinds = {job.kind for module in wiring.JOBS for job in module.JOBS}
    known = re.findall(r'"([a-z_]+\.[a-z_]+)"', (CONSOLE / "src/ui/kindWords.ts").read_text())
    assert sorted(known) == sorted(kinds)


def test_everything_that_the_status_counts_has_a_name() -> None:
    names = re.findall(
        r'"([a-z_]+)"', (CONSOLE / "src/features/instance/status/Counts.tsx").read_text().partition("as const")[0]
    )
    assert {count.name for count in facts.COUNTS} <= set(names)


def test_the_lock_names_no_registry() -> None:
    assert "http" not in "".join(
        line for line in (CONSOLE / "package-lock.json").read_text().splitlines() if '"resolved"' in line
    )


def recorded(source: str) -> Iterator[str]:
    """The actions in `db.write(who, ...)`, and in `tx.action = ...`."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(attr="write"), args=[_, action]):
                yield from names(action)
            case ast.Assign(targets=[ast.Attribute(attr="action")], value=action):
                yield from names(action)


def names(expression: ast.expr) -> Iterator[str]:
    for node in ast.walk(expression):
        match node:
            case ast.Constant(value=str(name)) if "." in name:
                yield name
