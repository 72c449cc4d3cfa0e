"""The console's sources match the API: its types, and labels for its actions and kinds."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hatch_build import TYPES, types
from teamspace import wiring
from teamspace.core.tables import JobSpec
from teamspace.instance.domain import facts

pytestmark = pytest.mark.sampled(1)
ROOT = Path(__file__).parents[2]
CONSOLE = ROOT / "console"


def test_the_api_types_are_up_to_date(tmp_path: Path) -> None:
    generated = tmp_path / "schema.d.ts"
    types(CONSOLE, generated)
    assert generated.read_text() == (CONSOLE / TYPES).read_text(), "the API has changed: run scripts/fix"


VERBS = {
    "abort", "accept", "activate", "add", "approve", "begin", "bootstrap", "call", "cancel", "change", "choose",
    "complete", "confirm", "create", "decline", "delete", "disable", "discard", "draft", "drop", "echo", "enable",
    "end", "enqueue", "expire", "export", "extract", "fail", "grant", "import", "invite", "judge", "merge", "move", "name",
    "open", "prepare", "provision", "publish", "purge", "refuse", "rekey", "remove", "renew", "reset", "restore",
    "resume", "retire", "return",
    "revoke", "set", "share", "split", "start", "stop", "store", "submit", "suspend", "switch", "tag",
    "transfer", "unshare", "update", "use",
}  # fmt: skip
"""The first word after the noun of an audited action: `note.create`, `user.reset_password`."""


def test_every_audited_action_is_a_noun_with_a_verb_and_has_a_label() -> None:
    actions = {action for path in (ROOT / "teamspace").rglob("*.py") for action in audited_actions(path.read_text())}
    known = re.findall(r'"([a-z0-9_.]+)"', (CONSOLE / "src/ui/trail/actions.ts").read_text().partition("as const")[0])
    assert sorted(known) == sorted(actions)
    assert {verb.partition("_")[0] for _, verb in (action.split(".") for action in actions)} == VERBS


def test_every_job_kind_has_a_label() -> None:
    # A plugin's kind is shown by its name.
    kinds = {job.kind for job in wiring.SHIPPED.rows(JobSpec) if not job.kind.startswith("x.")}
    known = re.findall(r'"([a-z0-9_]+\.[a-z_]+)"', (CONSOLE / "src/ui/kindWords.ts").read_text())
    assert sorted(known) == sorted(kinds)


def test_every_count_of_the_status_screen_has_a_label() -> None:
    names = re.findall(
        r'"([a-z_]+)"', (CONSOLE / "src/features/instance/status/Counts.tsx").read_text().partition("as const")[0]
    )
    assert {count.name for count in facts.COUNTS} <= set(names)


def test_styles_follow_the_direction_of_the_language() -> None:
    """`margin-inline-start` is on the right in Arabic; `margin-left` is not."""
    physical = re.compile(r"^\s*([a-z-]*\b(left|right)\b[a-z-]*:|text-align: (left|right))", re.MULTILINE)
    unequal_sides = re.compile(r"^\s*(?:padding|margin|inset): (\S+) (\S+) (\S+) (?!\2;)(\S+);", re.MULTILINE)
    found = [
        f"{path.name}: {match[0].strip()}"
        for path in (CONSOLE / "src").rglob("*.css")
        for match in (*physical.finditer(path.read_text()), *unequal_sides.finditer(path.read_text()))
    ]
    assert not found


def test_the_lock_file_names_no_registry() -> None:
    assert "http" not in "".join(
        line for line in (CONSOLE / "package-lock.json").read_text().splitlines() if '"resolved"' in line
    )


def audited_actions(source: str) -> Iterator[str]:
    """The actions in `db.write(who, ...)`, `tx.action = ...` and `_write_audit_row(tx, ...)`."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(attr="write"), args=[_, action]):
                yield from action_names(action)
            case ast.Call(func=ast.Name("_write_audit_row"), args=[_, action, _]):
                yield from action_names(action)
            case ast.Assign(targets=[ast.Attribute(attr="action")], value=action):
                yield from action_names(action)


def action_names(expression: ast.expr) -> Iterator[str]:
    for node in ast.walk(expression):
        match node:
            case ast.Constant(value=str(name)) if "." in name:
                yield name
