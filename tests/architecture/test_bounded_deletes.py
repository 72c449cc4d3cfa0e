"""A statement that deletes what is old deletes a bounded number of rows: it holds up every other writer."""

import re

import pytest

from tests.architecture.source import ROOT
from tests.architecture.statements import Statement, sources, statements

UNLIMITED = {
    "what is beyond the number that is kept: as many as were added since": (
        "ai.delete_beyond", "translation.delete_old", "favourites.delete_oldest",
    ),
    "a row per process": ("instance.take_silent",),
    "one row": ("presence.delete_expired",),
    "of versions that the same transaction deletes, some hundred at most": ("repository.delete_derivations_up_to",),
}  # fmt: skip
EXEMPT = {name for names in UNLIMITED.values() for name in names}
_DELETE = re.compile(r"\bDELETE FROM\b.*(?<![<>-])<(?!>)", re.DOTALL)


def is_unlimited(statement: Statement) -> bool:
    return bool(_DELETE.search(statement.text)) and "LIMIT :limit" not in statement.text


def test_every_delete_by_age_has_a_limit() -> None:
    core = {f"core.{path.stem}": path.read_text() for path in sorted((ROOT / "core").glob("*.py"))}
    unlimited = {statement.name for statement in statements(sources() | core) if is_unlimited(statement)}
    assert unlimited - EXEMPT == set(), "take a limit and use core.db.in_batches, or give the reason"
    assert EXEMPT - unlimited == set(), "these need no reason, or do not exist"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("DELETE FROM a WHERE at < :then", True),
        ("DELETE FROM a WHERE id IN (SELECT id FROM a WHERE at < :then LIMIT :limit)", False),
        ("DELETE FROM a WHERE id = :id AND state <> 'open'", False),
        ("SELECT id FROM a WHERE at < :then", False),
    ],
)
def test_a_delete_without_a_limit_is_found(sql: str, expected: bool) -> None:
    (statement,) = statements({"example": f'async def f(tx: Tx) -> None:\n    await tx.run("{sql}")'})
    assert is_unlimited(statement) is expected
