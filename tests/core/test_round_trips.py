"""How many statements a request sends; on PostgreSQL each is a round trip."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import apsw
import asyncpg
import pytest

from benchmarks.instances import s3_client
from teamspace import notes
from teamspace.core.db import Tx
from teamspace.core.errors import OrgSuspended, Unauthenticated
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Call, Principal
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases


@contextmanager
def counted(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yield the statements that are sent to the database, with those that begin and end transactions."""
    sent: list[str] = []
    with monkeypatch.context() as patched:
        for name in ("execute", "_execute"):
            _record(patched, name, sent)
        connections = [] if world.db.dialect.name == "postgres" else apsw.connections()
        for connection in connections:
            connection.trace_v2(apsw.SQLITE_TRACE_STMT, lambda event: sent.append(event["sql"]))
        yield sent
        for connection in connections:
            connection.trace_v2(0, None)


def _record(patched: pytest.MonkeyPatch, name: str, sent: list[str]) -> None:
    method: Any = getattr(asyncpg.Connection, name)

    async def call(self: Any, query: str, *arguments: Any, **options: Any) -> Any:
        sent.append(query)
        return await method(self, query, *arguments, **options)

    patched.setattr(asyncpg.Connection, name, call)


async def test_a_lone_note_takes_four_round_trips(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = await world.bootstrap()
    note = {"title": "a", "body": "some words", "visibility": "team", "tags": ["b"]}
    await ann.post("/api/notes", note)
    with counted(world, monkeypatch) as sent:
        await ann.post("/api/notes", note)
    if world.db.dialect.name == "postgres":
        assert len(sent) == 4, "epoch, BEGIN, guard and rows, COMMIT"
        assert "FOR SHARE" in sent[2] and sent[2].count("INSERT INTO") >= 4
    else:
        assert not [sql for sql in sent if "rights_epoch" in sql or "memberships" in sql], "the guard is remembered"


async def test_a_lone_small_object_takes_eleven_round_trips(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    client = await s3_client(world, await world.bootstrap())
    for number in range(2):
        with counted(world, monkeypatch) as sent:
            assert (await client.ask("PUT", f"key{number}", body=b"x" * 4096))[0] == 200
    if world.db.dialect.name == "postgres":
        assert len(sent) <= 11
        assert not [sql for sql in sent if "SAVEPOINT" in sql], "no trigger fires"
    else:
        of_index = ("texts_index", "texts_added", "data_version")
        assert len([sql for sql in sent if not any(name in sql for name in of_index)]) <= 17


def principal(caller: Caller) -> Principal:
    """Return whom the gate has let in a moment ago."""
    return Principal(
        "api", Call(), user_id=caller.user_id, team_id=caller.team.id, org_id=caller.org.id,
        permissions=frozenset({P.NOTES_WRITE}),
    )  # fmt: skip


async def leave(world: World, caller: Caller) -> None:
    async with world.db.maintenance(principal(caller)) as tx:
        await tx.run("DELETE FROM memberships WHERE user_id = :id", id=caller.user_id)


@pytest.mark.parametrize(
    ("change", "refusal"),
    [(lambda world, bob: world.suspend(bob.org), OrgSuspended), (leave, Unauthenticated)],
)
async def test_the_guard_refuses_rows_that_it_is_sent_with(
    world: World, change: Callable[[World, Caller], Awaitable[None]], refusal: type[Exception]
) -> None:
    await world.bootstrap()
    bob = await world.person(*await world.company())
    draft = notes.NewNote(title="a", body="some words")
    await notes.create(world.db, principal(bob), draft)
    await change(world, bob)
    before = await world.counts()
    with pytest.raises(refusal):
        await notes.create(world.db, principal(bob), draft)
    assert await world.counts() == before


async def test_a_listener_that_may_fail_does_not_hide_the_guard(world: World) -> None:
    class Told:
        """Something happened."""

    async def read(tx: Tx, event: Told) -> None:
        await tx.exists("SELECT 1 FROM notes")

    await world.bootstrap()
    bob = await world.person(*await world.company())
    world.db.listeners = {**world.db.listeners, Told: (read,)}
    await leave(world, bob)
    with pytest.raises(Unauthenticated):
        async with world.db.write(principal(bob), "note.create") as tx:
            await tx.emit_best_effort(Told())
    assert not world.db.listener_failures


async def test_each_write_of_several_has_its_own_guard(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(*await world.company())
    await leave(world, bob)
    async with world.db.write_many(principal(ann), "test", "a") as batch:
        with pytest.raises(Unauthenticated):
            async with batch.write(principal(bob), "note.create") as tx:
                tx.target = "refused"
        async with batch.write(principal(ann), "note.create") as tx:
            tx.target = "written"
    targets = await world.db.all(str, "SELECT target FROM audit WHERE action = 'note.create'")
    assert targets == ["written"]


async def test_a_write_that_would_be_refused_is_refused_also_if_its_rows_fail(world: World) -> None:
    ann = await world.bootstrap()

    async def write() -> None:
        async with world.db.write(principal(ann), "note.update") as tx:
            await tx.add("INSERT INTO note_tags (note_id, org_id, tag) VALUES ('nobody', :org, 'a')", org=ann.org.id)

    with pytest.raises(Exception, match=r"(?i)foreign key"):
        await write()
    await world.suspend(ann.org)
    with pytest.raises(OrgSuspended):
        await write()


async def test_one_of_several_writes_is_refused_also_if_its_rows_fail(world: World) -> None:
    ann = await world.bootstrap()
    await world.suspend(ann.org)
    async with world.db.write_many(principal(ann), "test", "a") as batch:
        with pytest.raises(OrgSuspended):
            async with batch.write(principal(ann), "note.update") as tx:
                await tx.add(
                    "INSERT INTO note_tags (note_id, org_id, tag) VALUES ('nobody', :org, 'a')", org=ann.org.id
                )
        assert await batch.exists("SELECT 1 FROM orgs")
