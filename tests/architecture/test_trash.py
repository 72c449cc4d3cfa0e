"""No statement about notes or objects meets what is in the trash by mistake.

A fence leaves it out. A statement without a fence says itself what it does about the trash (`trashed_at`), or is listed
here with the reason why it need not. A new one without any of these fails.
"""

import re
from collections.abc import Mapping

import pytest

from teamspace.core.permissions import Permission
from teamspace.core.principal import Call, Principal
from teamspace.notes import access as notes
from teamspace.notes.schemas import NOTES
from teamspace.repository import access as repository
from tests.architecture.statements import Statement, statements

INDIFFERENT = {
    "inserts a new row": ("notes.insert", "repository.insert"),
    "the caller has just read the row with a fence, under the lock of its key or its row": (
        "repository.update", "repository.move", "repository.delete", "repository.select_readers", "knowledge.lock_version",
        "knowledge.set_known_version",
    ),
    "one value of a row that a fence has admitted; if it goes to the trash meanwhile, it is changed there": (
        "repository.set_visibility",
    ),
    "of the bytes of a version, which are the same in the trash": ("repository.set_sha256",),
    "the fences inside what it takes decide": ("knowledge.select_documents", "knowledge.select_names"),
    "compares objects that a fence has admitted": (
        "repository.select_wider", "knowledge.select_sizes", "knowledge.select_foreign_documents",
    ),
    "a run that names a document in the trash is hidden like the document": (
        "workflows.select_documents", "workflows.add_objects",
    ),
    "a link to something in the trash is stored, and shown when that is back": ("references.insert",),
    "completes an index that the fences of its readers are applied to": (
        "knowledge.lock_unlisted", "knowledge.select_audiences",
    ),
    "locks objects, in the trash or not, and returns ids that the caller has": ("repository.lock_derived",),
    "of objects that a fence has admitted": ("repository.select_linked",),
    "only the key, which no fence decides about; writers lock it": ("repository.get_key",),
}  # fmt: skip
"""Statements about notes or objects that do not mention the trash, by reason."""
EXEMPT = {name for names in INDIFFERENT.values() for name in names}
_ABOUT = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE) (?:objects|notes)\b")


def is_careless(statement: Statement) -> bool:
    """Whether it is about notes or objects, and neither takes a fence nor mentions the trash."""
    fenced = any("Fence" in kind for kind in statement.arguments) and "{" in statement.text
    return bool(_ABOUT.search(statement.text)) and not fenced and "trashed_at" not in statement.text


def test_every_statement_about_notes_and_objects_leaves_out_the_trash() -> None:
    careless = {statement.name for statement in statements() if is_careless(statement)}
    assert careless - EXEMPT == set(), "pass a fence, say trashed_at, or give the reason"
    assert EXEMPT - careless == set(), "these need no reason, or do not exist"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('async def f(db: Reads) -> None:\n    await db.all(str, "SELECT id FROM notes")', True),
        ('async def f(tx: Tx) -> None:\n    await tx.run("UPDATE objects SET size = 1 WHERE id = :id")', True),
        ('async def f(tx: Tx) -> None:\n    await tx.run("DELETE FROM notes WHERE trashed_at < :now")', False),
        ('async def f(db: Reads, fence: Fence) -> None:\n    await db.all(str, f"SELECT id FROM notes WHERE {fence.sql}")', False),
        ('async def f(db: Reads) -> None:\n    await db.all(str, "SELECT id FROM orgs")', False),
    ],
)  # fmt: skip
def test_a_careless_statement_is_found(source: str, expected: bool) -> None:
    (statement,) = statements({"example": source})
    assert is_careless(statement) is expected


def _callers() -> Mapping[str, Principal]:
    everything = frozenset(Permission)
    person = Principal("api", Call(), user_id="u", team_id="t", org_id="o", permissions=everything)
    nobody = Principal("api", Call(), user_id="u", team_id="t", org_id="o")
    return {"everything": person, "nothing": nobody}


@pytest.mark.parametrize("caller", _callers())
def test_every_clause_of_every_fence_decides_about_the_trash(caller: str) -> None:
    who = _callers()[caller]
    fences = [
        *(notes.fence(who, each, across_org=True) for each in NOTES.ladder), notes.shared_fence(who),
        *(notes.fence_without_grants(who, each) for each in NOTES.ladder),
    ]  # fmt: skip
    for fence in fences:
        assert all("notes.trashed_at IS NULL" in clause.where for clause in fence.clauses)
    files = [each for each in Permission if each.startswith("files:")]
    in_use = [
        *(repository.fence(who, each, across_org=True) for each in files), repository.shared_fence(who),
        repository.fence_of_named(who),
        *(repository.fence_without_grants(who, each) for each in files),
    ]  # fmt: skip
    for fence in in_use:
        assert all(".removed = FALSE" in clause.where for clause in fence.clauses)
    for fence in (repository.fence_with_deleted(who, each) for each in files):
        assert all(
            ".removed = FALSE" in clause.where or ".trashed_at IS NULL" in clause.where for clause in fence.clauses
        )
    for fence in (notes.trash_fence(who), repository.trash_fence(who)):
        assert all("trashed_at IS NOT NULL" in clause.where for clause in fence.clauses)
