"""Nobody undoes what somebody else has just done: read, then write, with another's write in between.

For every pair of writes to one row: the first is held up between its last read and its write to that row, and the second
happens meanwhile, if no lock makes it wait. In the end each column that only the second writes is as the second has
written it. SQLite has one writer, so this is about PostgreSQL.
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
from teamspace.core.db.handles import written_table
from teamspace.tenancy.schemas import Role
from tests.branding.help import encoded, picture
from tests.repository.help import put
from tests.support.world import Caller, World

on_postgres = pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
_REFUSED = (401, 403, 409)
"""Whoever comes second may have lost the right to come at all."""
_LONG_ENOUGH = 0.3
"""Whoever has not come to an end by then waits for a lock."""


@dataclass(frozen=True)
class Scene:
    world: World
    ann: Caller
    bob: Caller
    ids: dict[str, str]


Act = Callable[[Scene], Coroutine[Any, Any, httpx2.Response]]


def ask(method: str, path: str, body: Any = None, **options: Any) -> Act:
    """By the operator; `{note}` in a path is the id of the note."""
    return lambda scene: scene.ann(method, path.format(**scene.ids), body, **options)


def own(method: str, path: str, body: Any = None) -> Act:
    """By the other one."""
    return lambda scene: scene.bob(method, path.format(**scene.ids), body)


@dataclass(frozen=True)
class Subject:
    table: str
    where: str
    acts: dict[str, Act] = field(hash=False)


async def _transfer(scene: Scene) -> httpx2.Response:
    return await scene.ann.post(f"/api/members/{scene.ann.user_id}/transfer", {"to": scene.bob.user_id})


async def _share(scene: Scene) -> httpx2.Response:
    wish = {"user_id": scene.bob.user_id, "permission": "notes:read"}
    return await scene.ann.post(f"/api/notes/{scene.ids['note']}/share", wish)


SUBJECTS = {
    "object": Subject("objects", "id = '{object}'", {
        "put": ask("PUT", "/api/repo/a.txt", content=b"second", headers={"content-type": "text/markdown"}),
        "visibility": ask("POST", "/api/repo-obj/{object}/visibility", {"visibility": "private"}),
        "transfer": _transfer,
    }),
    "document": Subject("objects", "id = '{document}'", {
        "title": ask("PUT", "/api/documents/{document}", {"title": "Second"}),
        "body": ask("PUT", "/api/documents/{document}", {"body": "Second"}),
        "visibility": ask("POST", "/api/repo-obj/{document}/visibility", {"visibility": "private"}),
    }),
    "note": Subject("notes", "id = '{note}'", {
        "title": ask("PUT", "/api/notes/{note}", {"title": "Second"}),
        "body": ask("PUT", "/api/notes/{note}", {"body": "Second"}),
        "visibility": ask("PUT", "/api/notes/{note}", {"visibility": "private"}),
        "share": _share,
        "transfer": _transfer,
    }),
    "company": Subject("orgs", "id = '{org}'", {
        "name": ask("PATCH", "/api/orgs/{org}", {"name": "Second"}),
        "plan": ask("PATCH", "/api/orgs/{org}", {"plan": "business"}),
        "hostname": ask("PATCH", "/api/orgs/{org}", {"domain": "second.example.com"}),
        "suspend": ask("POST", "/api/orgs/{org}/suspend"),
    }),
    "team": Subject("teams", "id = '{team}'", {
        "one feature": ask("POST", "/api/features/chat", {"enabled": False}),
        "another": ask("POST", "/api/features/workflows", {"enabled": False}),
    }),
    "person": Subject("users", "id = '{bob}'", {
        "name": own("POST", "/api/profile", {"display_name": "Second"}),
        "locale": own("POST", "/api/profile", {"locale": "en"}),
        "disable": ask("PATCH", "/api/admin/users/{bob}", {"disabled": True}),
    }),
    "branding": Subject("branding", "org_id = ''", {
        "title": ask("PUT", "/api/branding", {"title": "Second"}),
        "tagline": ask("PUT", "/api/branding", {"tagline": "Second"}),
        "logo": ask("POST", "/api/branding/logo", {"data": encoded(picture("PNG")), "content_type": "image/png"}),
    }),
}  # fmt: skip
OTHERS = {
    "activations": "used once, under a condition",
    "audit": "sealed once, by one sealer",
    "blobs": "each column under a condition of its own: tests/blobs/test_keeping.py",
    "executors": "retired once, under a condition; nothing else changes but the time of a sign of life",
    "idempotency": "answered once, by whoever has the key",
    "instance": "one value a row",
    "jobs": "every change is under a condition: tests/jobs/test_model.py",
    "login_attempts": "counted in the statement itself",
    "memberships": "one value a row",
    "object_uploads": "ended once, under the lock of its key",
    "object_versions": "only the tags change, which are one value",
    "quota_ledger": "settled once, under a condition",
    "recovery_codes": "used once, under a condition",
    "texts": "written with its object or note",
    "tokens": "revoked once; the time of last use and the team are one value each",
    "totp": "armed once and used once, under a condition",
}
"""Tables whose rows are changed, and why nothing can be undone there."""
PAIRS = [(name, *pair) for name, subject in SUBJECTS.items() for pair in permutations(subject.acts, 2)]


async def staged(world: World) -> Scene:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, Role.ADMIN)
    made = await put(ann, "a.txt", b"first", "?visibility=team", content_type="text/plain")
    note = await ann.post("/api/notes", {"title": "First", "body": "First", "visibility": "team"})
    document = await ann.post("/api/documents", {"title": "First", "body": "First", "visibility": "team"})
    await ann.put("/api/branding", {"title": "First", "tagline": "First"})
    ids = {"object": made["id"], "note": note.json()["id"], "document": document.json()["id"], "org": ann.org.id,
           "team": ann.team.id, "ann": ann.user_id, "bob": bob.user_id}  # fmt: skip
    return Scene(world, ann, bob, ids)


class Pause:
    """Of whoever runs in its context, before the first write to a table."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.reached, self.over = asyncio.Event(), asyncio.Event()


_pause: ContextVar[Pause | None] = ContextVar("pause", default=None)


@contextmanager
def pauses(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    fetch = Tx._fetch

    async def held(self: Tx, sql: str, params: Params) -> list[Row]:
        pause = _pause.get()
        if pause and written_table(sql) == pause.table and not pause.reached.is_set():
            pause.reached.set()
            await pause.over.wait()
        return list(await fetch(self, sql, params))

    with monkeypatch.context() as patch:
        patch.setattr(Tx, "_fetch", held)
        yield


async def _look(scene: Scene, subject: Subject) -> dict[str, Any]:
    sql = f"SELECT to_jsonb({subject.table}) FROM {subject.table} WHERE {subject.where.format(**scene.ids)}"
    (row,) = await scene.world.db.all(str, f"SELECT CAST(({sql}) AS TEXT)")
    found: dict[str, Any] = msgspec.json.decode(row)
    return found


@pytest.mark.both_databases
@on_postgres
@pytest.mark.parametrize(("name", "first", "second"), PAIRS, ids=lambda value: value)
async def test_what_came_in_between_stays(
    world: World, monkeypatch: pytest.MonkeyPatch, name: str, first: str, second: str
) -> None:
    subject, scene = SUBJECTS[name], await staged(world)
    before = await _look(scene, subject)
    pause = Pause(subject.table)
    with pauses(monkeypatch):
        _pause.set(pause)
        one = asyncio.create_task(subject.acts[first](scene))
        _pause.set(None)
        reached = asyncio.create_task(pause.reached.wait())
        await asyncio.wait([one, reached], return_when=asyncio.FIRST_COMPLETED)
        other = asyncio.create_task(subject.acts[second](scene))
        await asyncio.wait([other], timeout=_LONG_ENOUGH)
        between = await _look(scene, subject)
        pause.over.set()
        answers = await asyncio.gather(one, other)
        reached.cancel()
    after = await _look(scene, subject)
    assert all(answer.is_success or answer.status_code in _REFUSED for answer in answers)
    undone = {name: between[name] for name in between if after[name] == before[name] != between[name]}
    assert not undone


@pytest.mark.both_databases
def test_every_table_whose_rows_change_is_tried_or_has_a_reason() -> None:
    package = Path(teamspace.__file__).parent
    source = "".join(path.read_text() for path in package.rglob("*.py"))
    changed = set(re.findall(r"UPDATE (\w+) SET", source))
    tried = {subject.table for subject in SUBJECTS.values()}
    assert changed - tried - OTHERS.keys() == set()
    assert tried & OTHERS.keys() == OTHERS.keys() - changed == set()
