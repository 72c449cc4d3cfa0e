"""No lost updates: a write between the read and the write of another request is not undone.

For every pair of writes to one row: the first is paused between its last read and its write to that row, and the second
runs meanwhile, unless a lock makes it wait. Afterwards each column that only the second writes has the second's value.
SQLite has one writer, so this concerns PostgreSQL.
"""

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest

import teamspace
from teamspace.core.db import Tx
from teamspace.core.db.engine import Params, Row
from teamspace.core.db.statements import written_table
from teamspace.tenancy.schemas import Role
from tests.branding.help import encoded, picture
from tests.repository.help import put
from tests.support.world import Caller, World
from tests.triggers.help import add_trigger, publish

on_postgres = pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
_REFUSED = (401, 403, 409)
"""The second request may be refused because of the first."""
_LONG_ENOUGH = 0.3
"""Seconds. A request that has not ended by then waits for a lock."""


@dataclass(frozen=True)
class Setup:
    world: World
    ann: Caller
    bob: Caller
    ids: dict[str, str]


Action = Callable[[Setup], Coroutine[Any, Any, httpx2.Response]]


def by_ann(method: str, path: str, body: Any = None, **options: Any) -> Action:
    """A request of the operator; `{note}` in a path is the id of the note."""
    return lambda setup: setup.ann(method, path.format(**setup.ids), body, **options)


def by_bob(method: str, path: str, body: Any = None) -> Action:
    """A request of the other person."""
    return lambda setup: setup.bob(method, path.format(**setup.ids), body)


@dataclass(frozen=True)
class Subject:
    table: str
    where: str
    actions: dict[str, Action] = field(hash=False)


async def _transfer(setup: Setup) -> httpx2.Response:
    return await setup.ann.post(f"/api/members/{setup.ann.user_id}/transfer", {"to": setup.bob.user_id})


async def _share(setup: Setup) -> httpx2.Response:
    grant = {"user_id": setup.bob.user_id, "permission": "notes:read"}
    return await setup.ann.post(f"/api/notes/{setup.ids['note']}/share", grant)


async def _share_conversation(setup: Setup) -> httpx2.Response:
    grant = {"user_id": setup.bob.user_id, "permission": "notes:read"}
    return await setup.ann.post(f"/api/conversations/{setup.ids['conversation']}/share", grant)


SUBJECTS = {
    "object": Subject("objects", "id = '{object}'", {
        "put": by_ann("PUT", "/api/repo/a.txt", content=b"second", headers={"content-type": "text/markdown"}),
        "visibility": by_ann("POST", "/api/repo-obj/{object}/visibility", {"visibility": "private"}),
        "put with the same visibility": by_ann("PUT", "/api/repo/a.txt?visibility=team", content=b"third"),
        "transfer": _transfer,
    }),
    "document": Subject("objects", "id = '{document}'", {
        "title": by_ann("PUT", "/api/documents/{document}", {"title": "Second"}),
        "body": by_ann("PUT", "/api/documents/{document}", {"body": "Second"}),
        "visibility": by_ann("POST", "/api/repo-obj/{document}/visibility", {"visibility": "private"}),
        "move": by_ann("POST", "/api/repo-obj/{document}/move", {"key": "moved.md"}),
    }),
    "note": Subject("notes", "id = '{note}'", {
        "title": by_ann("PUT", "/api/notes/{note}", {"title": "Second"}),
        "body": by_ann("PUT", "/api/notes/{note}", {"body": "Second"}),
        "visibility": by_ann("PUT", "/api/notes/{note}", {"visibility": "private"}),
        "same visibility": by_ann("PUT", "/api/notes/{note}", {"title": "Third", "visibility": "team"}),
        "share": _share,
        "transfer": _transfer,
    }),
    "conversation": Subject("conversations", "id = '{conversation}'", {
        "title": by_ann("PATCH", "/api/conversations/{conversation}", {"title": "Second"}),
        "share": _share_conversation,
        "transfer": _transfer,
    }),
    "trigger": Subject("doc_triggers", "id = '{trigger}'", {
        "prefix": by_ann("PATCH", "/api/doc-triggers/{trigger}", {"match_prefix": "second/"}),
        "types": by_ann("PATCH", "/api/doc-triggers/{trigger}", {"match_types": ["image/*"]}),
        "off": by_bob("PATCH", "/api/doc-triggers/{trigger}", {"enabled": False}),
    }),
    "company": Subject("orgs", "id = '{org}'", {
        "name": by_ann("PATCH", "/api/orgs/{org}", {"name": "Second"}),
        "plan": by_ann("PATCH", "/api/orgs/{org}", {"plan": "business"}),
        "hostname": by_ann("PATCH", "/api/orgs/{org}", {"domain": "second.example.com"}),
        "suspend": by_ann("POST", "/api/orgs/{org}/suspend"),
    }),
    "team": Subject("teams", "id = '{team}'", {
        "one feature": by_ann("POST", "/api/features/chat", {"enabled": False}),
        "another": by_ann("POST", "/api/features/workflows", {"enabled": False}),
    }),
    "person": Subject("users", "id = '{bob}'", {
        "name": by_bob("POST", "/api/profile", {"display_name": "Second"}),
        "locale": by_bob("POST", "/api/profile", {"locale": "en"}),
        "time zone": by_bob("POST", "/api/profile", {"time_zone": "Asia/Tokyo"}),
        "disable": by_ann("PATCH", "/api/admin/users/{bob}", {"disabled": True}),
    }),
    "branding": Subject("branding", "org_id = ''", {
        "title": by_ann("PUT", "/api/branding", {"title": "Second"}),
        "tagline": by_ann("PUT", "/api/branding", {"tagline": "Second"}),
        "logo": by_ann("POST", "/api/branding/logo", {"data": encoded(picture("PNG")), "content_type": "image/png"}),
    }),
}  # fmt: skip
EXEMPT = {
    "activations": "used once, under a condition",
    "audit": "sealed once, by one sealer",
    "blobs": "each column under a condition of its own: tests/blobs/test_keeping.py",
    "conversation_turns": "ended once, under a condition",
    "executors": "retired once, under a condition; otherwise only the time of the last request changes",
    "prospects": "decided once, and judged only until then: both test the state",
    "idempotency": "answered once, by the request that has the key",
    "instance": "one value a row",
    "jobs": "every change is under a condition: tests/jobs/test_model.py",
    "kg_unlisted": "read and changed under the lock of its row",
    "l10n_entries": "under the lock of the locale: tests/localization/test_reviewing.py",
    "l10n_locales": "counted in the statement itself",
    "l10n_namespaces": "counted in the statement itself",
    "l10n_policy": "the whole row, under its lock",
    "login_attempts": "counted in the statement itself",
    "memberships": "one value a row",
    "object_derivations": "only the version that was checked last, under the lock of the object",
    "object_grants": "only the key, which is that of the object, under the lock of the object",
    "object_links": "uses are counted in the statement itself; a change of the options holds the lock of the object's links",
    "object_uploads": "ended once, under the lock of its key",
    "object_versions": "only the tags and the name change, which are one value each, and the filename, under the lock of the object",
    "quota_ledger": "settled once, under a condition",
    "recovery_codes": "used once, under a condition",
    "streams": "only the time of the last row, by its one writer",
    "texts": "written with its object, note or conversation",
    "tokens": "revoked once; the time of last use and the team are one value each; a kept sign-in under the lock of its person",
    "runs": "under the lock of the run: tests/workflows",
    "run_items": "written once, in the transaction that ends its job",
    "run_steps": "ended once, under the lock of the run",
    "totp": "armed once and used once, under a condition",
}
"""Tables with changing rows in which no update can be lost, and why."""
PAIRS = [(name, *pair) for name, subject in SUBJECTS.items() for pair in permutations(subject.actions, 2)]


async def set_up(world: World) -> Setup:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, Role.ADMIN)
    created = await put(ann, "a.txt", b"first", "?visibility=team", content_type="text/plain")
    note = await ann.post("/api/notes", {"title": "First", "body": "First", "visibility": "team"})
    conversation = await ann.post("/api/conversations", {"title": "First"})
    document = await ann.post("/api/documents", {"title": "First", "body": "First", "visibility": "team"})
    await ann.put("/api/branding", {"title": "First", "tagline": "First"})
    await publish(ann)
    trigger = await add_trigger(ann)
    ids = {"object": created["id"], "note": note.json()["id"], "conversation": conversation.json()["id"], "document": document.json()["id"], "trigger": trigger["id"], "org": ann.org.id,
           "team": ann.team.id, "ann": ann.user_id, "bob": bob.user_id}  # fmt: skip
    return Setup(world, ann, bob, ids)


class Pause:
    """Pauses the task that runs in its context before its first write to a table."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.reached, self.over = asyncio.Event(), asyncio.Event()


_pause: ContextVar[Pause | None] = ContextVar("pause", default=None)


@contextmanager
def pausing_writes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    fetch = Tx._fetch

    async def paused(self: Tx, sql: str, params: Params) -> list[Row]:
        pause = _pause.get()
        if pause and written_table(sql) == pause.table and not pause.reached.is_set():
            pause.reached.set()
            await pause.over.wait()
        return list(await fetch(self, sql, params))

    with monkeypatch.context() as patch:
        patch.setattr(Tx, "_fetch", paused)
        yield


async def _read_row(setup: Setup, subject: Subject) -> dict[str, Any]:
    sql = f"SELECT to_jsonb({subject.table}) FROM {subject.table} WHERE {subject.where.format(**setup.ids)}"
    (row,) = await setup.world.db.all(str, f"SELECT CAST(({sql}) AS TEXT)")
    found: dict[str, Any] = msgspec.json.decode(row)
    return found


@pytest.mark.both_databases
@on_postgres
@pytest.mark.parametrize(("name", "first", "second"), PAIRS, ids=lambda value: value)
async def test_a_write_in_between_is_not_undone(
    world: World, monkeypatch: pytest.MonkeyPatch, name: str, first: str, second: str
) -> None:
    subject, setup = SUBJECTS[name], await set_up(world)
    before = await _read_row(setup, subject)
    pause = Pause(subject.table)
    with pausing_writes(monkeypatch):
        _pause.set(pause)
        one = asyncio.create_task(subject.actions[first](setup))
        _pause.set(None)
        reached = asyncio.create_task(pause.reached.wait())
        await asyncio.wait([one, reached], return_when=asyncio.FIRST_COMPLETED)
        other = asyncio.create_task(subject.actions[second](setup))
        await asyncio.wait([other], timeout=_LONG_ENOUGH)
        between = await _read_row(setup, subject)
        pause.over.set()
        answers = await asyncio.gather(one, other)
        reached.cancel()
    after = await _read_row(setup, subject)
    assert all(answer.is_success or answer.status_code in _REFUSED for answer in answers)
    undone = {name: between[name] for name in between if after[name] == before[name] != between[name]}
    assert not undone


@pytest.mark.sampled(1)
def test_every_table_with_updates_is_tested_or_exempt() -> None:
    package = Path(teamspace.__file__).parent
    source = "".join(path.read_text() for path in package.rglob("*.py"))
    changed = set(re.findall(r"UPDATE (\w+) SET", source))
    tried = {subject.table for subject in SUBJECTS.values()}
    assert changed - tried - EXEMPT.keys() == set()
    assert tried & EXEMPT.keys() == EXEMPT.keys() - changed == set()
