"""Exports of the audit log as JSON lines: complete, in order, in constant memory, and verified by the command line."""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from teamspace.audit import store
from teamspace.audit.domain import export as exporting
from teamspace.audit.domain import searching
from teamspace.audit.schemas import AuditQuery
from teamspace.core.db import Db, audit
from teamspace.core.principal import Call, Principal
from teamspace.tenancy.schemas import OrgRole, Role
from tests.audit.conftest import RunAudit
from tests.audit.help import Event, at, code, fetch_export, insert_events, lines
from tests.support.world import Caller, World

TEAM, COMPANY = "/api/audit", "/api/org/audit"


@pytest.fixture
async def owner(world: World) -> Caller:
    org, team = await world.company()
    return await world.person(org, team, Role.OWNER, org_role=OrgRole.OWNER)


async def insert_sealed(world: World, owner: Caller, count: int = 30) -> list[audit.AuditRow]:
    """Inserts and seals events: a third each of the team, of another team and of no team."""
    sister = await world.team(owner.org)
    teams = (owner.team.id, sister.id, None)
    events = [
        Event(owner.org.id, at=at(n), team_id=teams[n % 3], action=f"note.{n % 2}", detail='{"ü":"\\u00fc \\\\ \\""}')
        for n in range(count)
    ]
    rows = await insert_events(world, events)
    await audit.seal(world.db)
    return rows


async def test_an_export_has_the_whole_log_oldest_first(world: World, owner: Caller) -> None:
    rows = await insert_sealed(world, owner)
    found = lines(await fetch_export(owner, COMPANY))
    assert [line["id"] for line in found] == [row.id for row in rows]
    assert [line["seq"] for line in found] == list(range(1, 31))
    assert [line["prev"] for line in found] == [audit.ZERO_HASH, *(line["hash"] for line in found[:-1])]
    for line, row in zip(found, rows, strict=True):
        assert {name: line[name] for name in audit.AuditRow.__struct_fields__} == msgspec.structs.asdict(row)


async def test_each_line_can_be_verified_without_our_code(world: World, owner: Caller) -> None:
    """As documented: SHA-256 of the previous hash, a newline and a JSON list."""
    await insert_sealed(world, owner)
    for line in lines(await fetch_export(owner, COMPANY)):
        fields = [
            line[name]
            for name in (
                "seq", "org_id", "id", "at", "team_id", "actor_kind", "actor_id", "token_id", "action", "target",
                "detail", "request_id", "address",
            )
        ]  # fmt: skip
        text = line["prev"].encode() + b"\n" + msgspec.json.encode(fields)
        assert hashlib.sha256(text).hexdigest() == line["hash"]


async def test_an_export_can_be_requested_by_header_or_query(world: World, owner: Caller) -> None:
    await insert_sealed(world, owner)
    by_query = await owner.get(f"{TEAM}?format=jsonl")
    assert by_query.content == await fetch_export(owner, TEAM)
    name = re.fullmatch(r'attachment; filename="(.*)"', by_query.headers["content-disposition"])
    assert name and re.fullmatch(rf"audit-{owner.team.id}-\d{{4}}-\d\d-\d\d\.jsonl", name[1])
    company = await owner.get(f"{COMPANY}?format=jsonl")
    assert f"audit-{owner.org.id}-" in company.headers["content-disposition"]
    for header in ("application/json", "*/*", "text/html", "application/json, application/x-ndjson;q=0.5"):
        assert "items" in (await owner.get(TEAM, headers={"accept": header})).json()
    preferred = await owner.get(TEAM, headers={"accept": "text/html, application/x-ndjson;q=0.5"})
    assert preferred.content == by_query.content
    assert "items" in (await owner.get(f"{TEAM}?format=json", headers={"accept": "application/x-ndjson"})).json()


async def test_an_export_has_only_its_own_log_and_respects_filters(world: World, owner: Caller) -> None:
    rows = await insert_sealed(world, owner)
    stranger_org, stranger_team = await world.company()
    stranger = await world.person(stranger_org, stranger_team, Role.OWNER, org_role=OrgRole.OWNER)
    assert await fetch_export(stranger, COMPANY) == await fetch_export(stranger, TEAM) == b""
    for query, expected in (
        ({"action": "note.1"}, [n for n in range(30) if n % 2]),
        ({"action": "note."}, list(range(30))),
        ({"action": "token."}, []),
        ({"since": at(10), "until": at(20)}, list(range(10, 20))),
        ({"until": at(3), "action": "note.0"}, [0, 2]),
        ({"actor": "api"}, list(range(30))),
        ({"target": "nothing"}, []),
    ):
        found = [line["id"] for line in lines(await fetch_export(owner, COMPANY, **query))]
        assert found == [rows[n].id for n in expected], query
    team = [line["id"] for line in lines(await fetch_export(owner, TEAM))]
    assert team == [row.id for row in rows if row.team_id == owner.team.id]


async def test_operators_can_export_the_instance_log(world: World) -> None:
    operator = await world.bootstrap()
    await insert_events(world, [Event("", actor_kind="provision", action="tenant.suspend")])
    answer = await operator.get(TEAM, params={"scope": "instance", "format": "jsonl"})
    assert [line["action"] for line in lines(answer.content)] == ["tenant.suspend"]
    assert 'filename="audit-instance-' in answer.headers["content-disposition"]
    admin = await world.person(operator.org, operator.team, Role.ADMIN)
    assert code(await admin.get(TEAM, params={"scope": "instance", "format": "jsonl"})) == (403, "forbidden")


async def test_an_export_seals_and_includes_the_newest_events(world: World) -> None:
    ann = await world.bootstrap()
    for n in range(1, 5):
        assert (await ann.post("/api/notes", {"title": f"Note {n}"})).status_code == 201
        found = lines(await fetch_export(ann, COMPANY))
        assert [line["seq"] for line in found] == list(range(1, n + 2))


async def test_time_filters_limit_the_rows_that_are_read(
    world: World, owner: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are read only from just before the range to just after it."""
    rows = await insert_events(world, [Event(owner.org.id, at=f"2026-03-01T{n:02d}:00:00.000Z") for n in range(24)])
    await audit.seal(world.db)
    ranges, real = [], store.select_lines

    async def recording(db: Any, search: Any, after: int, through: int) -> Any:
        ranges.append((after, through))
        return await real(db, search, after, through)

    monkeypatch.setattr(store, "select_lines", recording)
    query = {"since": "2026-03-01T10:00:00Z", "until": "2026-03-01T12:00:00Z"}
    found = [line["id"] for line in lines(await fetch_export(owner, COMPANY, **query))]
    assert found == [rows[10].id, rows[11].id]
    assert ranges == [(10, 14)]


async def test_a_row_sealed_late_is_exported_in_chain_order(world: World, owner: Caller, run_audit: RunAudit) -> None:
    """A slow transaction commits after newer ones were sealed: its id is older than its number."""
    first = await insert_events(world, [Event(owner.org.id, at=at(n)) for n in (0, 20)])
    await audit.seal(world.db)
    late = await insert_events(world, [Event(owner.org.id, at=at(n)) for n in (10, 30)])
    content = await fetch_export(owner, COMPANY)
    assert [line["id"] for line in lines(content)] == [row.id for row in first + late]
    between = await fetch_export(owner, COMPANY, since=at(5), until=at(15))
    assert [line["seq"] for line in lines(between)] == [3]
    assert run_audit("verify", "-", "--whole", stdin=content).status == 0


async def chunks(db: Db, owner: Caller) -> AsyncIterator[bytes]:
    who = Principal("api", Call(), org_id=owner.org.id, team_id=owner.team.id)
    return (await exporting.export(db, searching.company_log(who), AuditQuery())).chunks


async def test_an_export_reads_one_page_at_a_time(world: World, owner: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "STRIDE", 10)
    await insert_sealed(world, owner, 95)
    sizes = [chunk.count(b"\n") async for chunk in await chunks(world.db, owner)]
    assert sizes == [10] * 9 + [5]


async def test_an_export_ends_while_events_keep_coming(
    world: World, owner: Caller, monkeypatch: pytest.MonkeyPatch, run_audit: RunAudit
) -> None:
    monkeypatch.setattr(exporting, "STRIDE", 10)
    await insert_sealed(world, owner, 40)
    content = b""
    async for chunk in await chunks(world.db, owner):
        content += chunk
        await insert_events(world, [Event(owner.org.id, at=at(100))] * 20)
        await audit.seal(world.db)
    assert run_audit("verify", "-", "--whole", stdin=content).out.startswith("ok: 40 events")


@pytest.mark.both_databases
async def test_exports_during_writes_verify(world: World, run_audit: RunAudit) -> None:
    ann = await world.bootstrap()

    async def write() -> None:
        for n in range(15):
            assert (await ann.post("/api/notes", {"title": f"Note {n}"})).status_code == 201

    async def run_exports() -> list[bytes]:
        return [await fetch_export(ann, COMPANY) for _ in range(8)]

    exports, _ = await asyncio.gather(run_exports(), asyncio.gather(*(write() for _ in range(4))))
    for content in [*exports, await fetch_export(ann, COMPANY)]:
        assert run_audit("verify", "-", "--whole", stdin=content).status == 0
    assert len(content.splitlines()) == 61


async def test_the_command_line_verifies_an_export(
    world: World, owner: Caller, run_audit: RunAudit, tmp_path: Path
) -> None:
    await insert_sealed(world, owner)
    file = tmp_path / "export.jsonl"
    file.write_bytes(await fetch_export(owner, COMPANY))
    head = lines(file.read_bytes())[-1]["hash"]
    result = run_audit("verify", str(file))
    assert (result.status, result.out) == (0, f"ok: 30 events of company {owner.org.id}, 1 to 30, head {head}\n")
    file.write_bytes(await fetch_export(owner, TEAM))
    result = run_audit("verify", str(file))
    assert result.status == 0
    assert re.match(
        rf"ok: 10 of 28 events of company {owner.org.id}, 1 to 28, head [0-9a-f]{{64}}; gaps: 9\n", result.out
    )
    assert run_audit("verify", str(file), "--whole").status == 1


async def test_openapi_describes_both_formats(world: World) -> None:
    document = (await world.anonymous.get("/api/openapi.json")).json()
    for path in (TEAM, COMPANY):
        assert set(document["paths"][path]["get"]["responses"]["200"]["content"]) == {
            "application/json",
            "application/x-ndjson",
        }
