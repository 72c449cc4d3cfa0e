"""Every verb that changes a note or an object records it. Other tests are checked by `tests/support/changes.py`."""

import re
from typing import Any

import pytest

from teamspace import events, wiring
from teamspace.core.db.migrate import bundled_migrations
from teamspace.events import EventSubject
from tests.events.help import principal
from tests.support import changes
from tests.support.world import Caller, World


async def test_a_verb_that_records_nothing_is_found(
    ann: Caller, monkeypatch: pytest.MonkeyPatch, no_silent_changes: list[str]
) -> None:
    async def forget(*_: object, **__: object) -> None:
        pass

    assert (await ann.post("/api/notes", {"title": "x"})).status_code == 201
    assert no_silent_changes == []
    monkeypatch.setattr(events, "record", forget)
    assert (await ann.post("/api/notes", {"title": "x", "tags": ["a"]})).status_code == 201
    assert no_silent_changes == ["note.create changes note_tags, notes"]
    no_silent_changes.clear()


async def test_the_check_covers_the_tables_of_all_subjects(world: World, ann: Caller) -> None:
    """A subject's own tables, and those that belong to its rows and are shown with them."""
    who = await principal(ann)
    watched = {
        fence.table for subject in wiring.SHIPPED.rows(EventSubject) if subject.fences for fence in subject.fences(who)
    }
    schema = "".join(migration.sql for migration in bundled_migrations())
    for table, columns in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\) STRICT", schema, re.DOTALL):
        if re.search(r"REFERENCES (notes|objects|conversations) \(id\) ON DELETE CASCADE", columns):
            watched.add(table)
    jobs, provenance = {"jobs", "job_archive"}, {"object_derivations", "trigger_ancestry"}
    graph = {"kg_documents", "kg_splits"}  # written with the object, which tells it
    counted = {"object_links"}  # by visitors; only who creates or revokes one tells it
    assert watched - jobs - provenance - graph - counted == changes.TABLES


async def test_verbs_over_http_record_their_changes(world: World, ann: Caller) -> None:
    friend = await world.person(ann.org, ann.team)
    note = (await ann.post("/api/notes", {"title": "x", "tags": ["a"]})).json()["id"]
    document = (await ann.post("/api/documents", {"title": "x", "body": "y"})).json()["id"]
    shared = {"user_id": friend.user_id}
    steps: tuple[tuple[str, str, dict[str, Any] | None, str], ...] = (
        ("PUT", f"/api/notes/{note}", {"tags": ["b"]}, "note updated"),
        ("POST", f"/api/notes/{note}/share", {**shared, "permission": "notes:read"}, "note updated"),
        ("POST", f"/api/notes/{note}/share", {**shared, "permission": None}, "note updated"),
        ("DELETE", f"/api/notes/{note}", None, "note deleted"),
        ("PUT", f"/api/documents/{document}", {"body": "z"}, "object updated"),
        ("POST", f"/api/repo-obj/{document}/share", shared, "object updated"),
        ("POST", f"/api/repo-obj/{document}/unshare", shared, "object updated"),
        ("POST", f"/api/repo-obj/{document}/visibility", {"visibility": "team"}, "object updated"),
        ("POST", f"/api/repo-obj/{document}/links", {}, "object updated"),
        ("POST", f"/api/repo-obj/{document}/move", {"key": "moved.md"}, "object updated"),
        ("POST", f"/api/members/{ann.user_id}/transfer", {"to": friend.user_id}, "object updated"),
        ("DELETE", f"/api/repo-obj/{document}", None, "object deleted"),
    )
    recorded = ["note created", "object created"]
    for method, path, body, expected in steps:
        answer = await ann(method, path, body)
        assert answer.status_code < 300, f"{method} {path}: {answer.text}"
        recorded.append(expected)
        events = await world.db.all(str, "SELECT kind || ' ' || change FROM events WHERE kind <> 'usage' ORDER BY id")
        assert events == recorded
