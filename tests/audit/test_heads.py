"""Heads of the audit chains, kept outside the database."""

import asyncio
import logging
from pathlib import Path

import pytest

from teamspace.audit import HeadLog
from teamspace.core.db import audit
from teamspace.core.principal import system
from teamspace.settings import Settings
from tests.audit.conftest import RunAudit
from tests.audit.help import Event, at, fetch_export, insert_events
from tests.support.served import Served, teamspace
from tests.support.tampering import tamper
from tests.support.world import PASSWORD, Caller, World
from tests.support.world import world as open_world


async def insert_three_chains(world: World) -> list[audit.ChainHead]:
    for org_id, count in (("", 2), ("a", 5), ("b", 1)):
        await insert_events(world, [Event(org_id, at=at(n)) for n in range(count)])
    await audit.seal(world.db)
    await insert_events(world, [Event("a", at=at(60)), Event("unsealed", at=at(60))])
    return sorted([head async for head in audit.chain_heads(world.db)], key=lambda head: head.org_id)


async def test_every_chain_has_one_head(world: World) -> None:
    found = await insert_three_chains(world)
    assert [(head.org_id, head.seq) for head in found] == [("", 2), ("a", 5), ("b", 1)]
    for head in found:
        assert head == await audit.chain_head(world.db, head.org_id)
    assert await audit.chain_head(world.db, "unsealed") == audit.ChainHead("unsealed", 0, audit.ZERO_HASH)


def test_the_command_prints_the_heads(run_audit: RunAudit, settings: Settings) -> None:
    async def prepare() -> list[audit.ChainHead]:
        async with open_world(settings) as world:
            return await insert_three_chains(world)

    found = asyncio.run(prepare())
    result = run_audit("heads", settings=settings)
    assert result.status == 0
    assert sorted(result.out.splitlines()) == sorted(str(head) for head in found)
    assert f"- 2 {found[0].hash}" in result.out
    assert audit.parse_heads(result.out.splitlines())[::-1] == found


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("DELETE FROM audit WHERE org_id = 'a' AND seq = 5", "row 5 of company a is missing"),
        ("UPDATE audit SET hash = 'x' WHERE org_id = '' AND seq = 2", "row 2 of company - has another hash"),
        ("DELETE FROM audit", "row 1 of company b is missing"),
    ],
)
async def test_a_database_is_checked_against_saved_heads(world: World, sql: str, message: str) -> None:
    saved = [str(head) for head in await insert_three_chains(world)]
    assert await audit.check_heads(world.db, saved) == []
    await audit.seal(world.db)
    assert await audit.check_heads(world.db, saved) == []
    async with world.db.maintenance(system()) as tx:
        await tamper(tx, sql)
    assert [finding for finding in await audit.check_heads(world.db, saved) if message in finding]


async def test_only_new_heads_are_logged(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "teamspace.audit")
    found, head_log = await insert_three_chains(world), HeadLog()

    async def log_new_heads() -> list[str]:
        caplog.clear()
        await head_log.write_new(world.db)
        return sorted(record.message for record in caplog.records)

    assert await log_new_heads() == sorted(
        f"audit head org={head.org_id or '-'} seq={head.seq} hash={head.hash}" for head in found
    )
    assert await log_new_heads() == []
    await audit.seal(world.db)
    assert [line.split()[2:4] for line in await log_new_heads()] == [["org=a", "seq=6"], ["org=unsealed", "seq=1"]]


async def test_shutdown_seals_and_logs_the_heads(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "teamspace.audit")
    ann = await world.bootstrap()
    await world.app.finish()
    head = await audit.chain_head(world.db, ann.org.id)
    assert f"audit head org={ann.org.id} seq=1 hash={head.hash}" in caplog.messages


def test_the_server_log_proves_that_the_audit_log_was_truncated(settings: Settings, tmp_path: Path) -> None:
    """End to end: serve, stop, save the log lines, truncate the audit table, export and verify."""
    environment = {"SERVICE_DATA": str(settings.data)}
    if settings.database_url:
        environment["SERVICE_DATABASE_URL"] = settings.database_url
    with Served(environment) as served:
        token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        for n in range(3):
            served.call("POST", "/api/notes", {"title": f"Note {n}"}, token=token)
        assert served.stop() == 0
        head_lines = [line for line in served.logs.splitlines() if "audit head" in line]
    heads, export = tmp_path / "heads", tmp_path / "export"
    heads.write_text("\n".join(head_lines))

    async def truncate(last: int) -> None:
        async with open_world(settings) as world:
            async with world.db.maintenance(system()) as tx:
                await tamper(tx, "DELETE FROM audit WHERE seq > :last", last=last)
            ann = Caller(world, token)
            export.write_bytes(await fetch_export(ann, "/api/org/audit"))

    for last, status in ((4, 0), (3, 1)):
        asyncio.run(truncate(last))
        result = teamspace("audit", "verify", str(export), "--heads", str(heads), settings={})
        assert (result.returncode, result.stderr) == (status, ""), result.stdout
    assert teamspace("audit", "verify", str(export), settings={}).returncode == 0
