"""The console's sources: checked, tested, and speaking the API as the server describes it today."""

from pathlib import Path

from hatch_build import TYPES, npm, types

CONSOLE = Path(__file__).parents[2] / "console"


def test_style_and_accessibility_rules_hold() -> None:
    npm("run", "lint", console=CONSOLE)


def test_the_unit_tests_pass() -> None:
    npm("test", console=CONSOLE)


def test_the_types_of_the_api_are_made_from_its_description(tmp_path: Path) -> None:
    made = tmp_path / "schema.d.ts"
    types(CONSOLE, made)
    assert made.read_text() == (CONSOLE / TYPES).read_text(), "the API has changed: run scripts/fix"


def test_the_lock_names_no_registry() -> None:
    assert "http" not in "".join(
        line for line in (CONSOLE / "package-lock.json").read_text().splitlines() if '"resolved"' in line
    )
