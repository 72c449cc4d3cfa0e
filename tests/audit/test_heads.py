"""The heads of the chains, kept where whoever holds the database cannot write."""

import asyncio
import logging
from pathlib import Path

import pytest

from teamspace.audit import HeadLog
from teamspace.core.db import audit
from teamspace.core.principal import system
from teamspace.settings import Settings
from tests.audit.conftest import Console
from tests.audit.help import Made, at, exported, plant
from tests.support.served import Served, teamspace
from tests.support.tampering import tamper
from tests.support.world import PASSWORD, Caller, World
from tests.support.world import world as opened


async def three_chains(world: World) -> list[audit.ChainHead]:
    for org_id, count in (("", 2), ("a", 5), ("b", 1)):
        await plant(world, [Made(org_id, at=at(n)) for n in range(count)])
    await audit.seal(world.db)
    await plant(world, [Made("a", at=at(60)), Made("unsealed", at=at(60))])
    return sorted([head async for head in audit.chain_heads(world.db)], key=lambda head: head.org_id)


async def test_every_chain_has_one_head(world: World) -> None:
    found = await three_chains(world)
    assert [(head.org_id, head.seq) for head in found] == [("", 2), ("a", 5), ("b", 1)]
    for head in found:
        assert head == await audit.chain_head(world.db, head.org_id)
    assert await audit.chain_head(world.db, "unsealed") == audit.ChainHead("unsealed", 0, audit.ZERO_HASH)


def test_the_command_prints_them(console: Console, settings: Settings) -> None:
    async def story() -> list[audit.ChainHead]:
        async with opened(settings) as world:
            return await three_chains(world)

    found = asyncio.run(story())
    ended = console("heads", settings=settings)
    assert ended.status == 0
    assert sorted(ended.out.splitlines()) == sorted(str(head) for head in found)
    assert f"- 2 {found[0].hash}" in ended.out
    assert audit.parse_heads(ended.out.splitlines())[::-1] == found


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("DELETE FROM audit WHERE org_id = 'a' AND seq = 5", "row 5 of company a is missing"),
        ("UPDATE audit SET hash = 'x' WHERE org_id = '' AND seq = 2", "row 2 of company - has another hash"),
        ("DELETE FROM audit", "row 1 of company b is missing"),
    ],
)
async def test_a_database_is_held_against_kept_heads(world: World, sql: str, says: str) -> None:
    kept = [str(head) for head in await three_chains(world)]
    assert await audit.check_heads(world.db, kept) == []
    await audit.seal(world.db)
    assert await audit.check_heads(world.db, kept) == []
    async with world.db.maintenance(system()) as tx:
        await tamper(tx, sql)
    assert [finding for finding in await audit.check_heads(world.db, kept) if says in finding]


async def test_the_log_is_told_what_is_new(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "teamspace.audit")
    found, witness = await three_chains(world), HeadLog()

    async def told() -> list[str]:
        caplog.clear()
        await witness.write_new(world.db)
        return sorted(record.message for record in caplog.records)

    assert await told() == sorted(
        f"audit head org={head.org_id or '-'} seq={head.seq} hash={head.hash}" for head in found
    )
    assert await told() == []
    await audit.seal(world.db)
    assert [line.split()[2:4] for line in await told()] == [["org=a", "seq=6"], ["org=unsealed", "seq=1"]]


async def test_finishing_seals_and_tells(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "teamspace.audit")
    ann = await world.bootstrap()
    await world.app.finish()
    head = await audit.chain_head(world.db, ann.org.id)
    assert f"audit head org={ann.org.id} seq=1 hash={head.hash}" in caplog.messages


def test_the_log_of_a_server_shows_that_its_trail_was_cut(settings: Settings, tmp_path: Path) -> None:
    """From end to end: serve, stop, take the lines of the log, cut the database, export and verify."""
    given = {"SERVICE_DATA": str(settings.data)}
    if settings.database_url:
        given["SERVICE_DATABASE_URL"] = settings.database_url
    with Served(given) as served:
        token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        for n in range(3):
            served.call("POST", "/api/notes", {"title": f"Note {n}"}, token=token)
        assert served.stop() == 0
        witness = [line for line in served.logs.splitlines() if "audit head" in line]
    heads, export = tmp_path / "heads", tmp_path / "export"
    heads.write_text("\n".join(witness))

    async def cut(last: int) -> None:
        async with opened(settings) as world:
            async with world.db.maintenance(system()) as tx:
                await tamper(tx, "DELETE FROM audit WHERE seq > :last", last=last)
            ann = Caller(world, token)
            export.write_bytes(await exported(ann, "/api/org/audit"))

    for last, status in ((4, 0), (3, 1)):
        asyncio.run(cut(last))
        ended = teamspace("audit", "verify", str(export), "--heads", str(heads), settings={})
        assert (ended.returncode, ended.stderr) == (status, ""), ended.stdout
    assert teamspace("audit", "verify", str(export), settings={}).returncode == 0
