"""A trail taken out as JSON lines: whole, in order, in constant memory, and verified by the command line."""

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
from tests.audit.conftest import Console
from tests.audit.help import Made, at, code, exported, lines, plant
from tests.support.world import Caller, World

TEAM, COMPANY = "/api/audit", "/api/org/audit"


@pytest.fixture
async def owner(world: World) -> Caller:
    org, team = await world.company()
    return await world.person(org, team, Role.OWNER, org_role=OrgRole.OWNER)


async def grown(world: World, owner: Caller, count: int = 30) -> list[audit.AuditRow]:
    """A sealed trail: every third event is the team's, some are of no team."""
    sister = await world.team(owner.org)
    teams = (owner.team.id, sister.id, None)
    events = [
        Made(owner.org.id, at=at(n), team_id=teams[n % 3], action=f"note.{n % 2}", detail='{"ü":"\\u00fc \\\\ \\""}')
        for n in range(count)
    ]
    entries = await plant(world, events)
    await audit.seal(world.db)
    return entries


async def test_an_export_is_the_whole_trail_oldest_first(world: World, owner: Caller) -> None:
    entries = await grown(world, owner)
    found = lines(await exported(owner, COMPANY))
    assert [line["id"] for line in found] == [entry.id for entry in entries]
    assert [line["seq"] for line in found] == list(range(1, 31))
    assert [line["prev"] for line in found] == [audit.ZERO_HASH, *(line["hash"] for line in found[:-1])]
    for line, entry in zip(found, entries, strict=True):
        assert {name: line[name] for name in audit.AuditRow.__struct_fields__} == msgspec.structs.asdict(entry)


async def test_each_line_can_be_verified_without_our_code(world: World, owner: Caller) -> None:
    """What the documentation promises: SHA-256 of the previous hash, a newline and a JSON list."""
    await grown(world, owner)
    for line in lines(await exported(owner, COMPANY)):
        fields = [
            line[name]
            for name in (
                "seq", "org_id", "id", "at", "team_id", "actor_kind", "actor_id", "token_id", "action", "target",
                "detail", "request_id", "address",
            )
        ]  # fmt: skip
        text = line["prev"].encode() + b"\n" + msgspec.json.encode(fields)
        assert hashlib.sha256(text).hexdigest() == line["hash"]


async def test_an_export_is_asked_for_by_header_or_by_query(world: World, owner: Caller) -> None:
    await grown(world, owner)
    by_query = await owner.get(f"{TEAM}?format=jsonl")
    assert by_query.content == await exported(owner, TEAM)
    name = re.fullmatch(r'attachment; filename="(.*)"', by_query.headers["content-disposition"])
    assert name and re.fullmatch(rf"audit-{owner.team.id}-\d{{4}}-\d\d-\d\d\.jsonl", name[1])
    company = await owner.get(f"{COMPANY}?format=jsonl")
    assert f"audit-{owner.org.id}-" in company.headers["content-disposition"]
    for header in ("application/json", "*/*", "text/html, application/x-ndjson;q=0.5"):
        assert "items" in (await owner.get(TEAM, headers={"accept": header})).json()
    assert "items" in (await owner.get(f"{TEAM}?format=json", headers={"accept": "application/x-ndjson"})).json()


async def test_an_export_keeps_to_its_trail_and_filters(world: World, owner: Caller) -> None:
    entries = await grown(world, owner)
    stranger_org, stranger_team = await world.company()
    stranger = await world.person(stranger_org, stranger_team, Role.OWNER, org_role=OrgRole.OWNER)
    assert await exported(stranger, COMPANY) == await exported(stranger, TEAM) == b""
    for query, wanted in (
        ({"action": "note.1"}, [n for n in range(30) if n % 2]),
        ({"action": "note."}, list(range(30))),
        ({"action": "token."}, []),
        ({"since": at(10), "until": at(20)}, list(range(10, 20))),
        ({"until": at(3), "action": "note.0"}, [0, 2]),
        ({"actor": "api"}, list(range(30))),
        ({"target": "nothing"}, []),
    ):
        found = [line["id"] for line in lines(await exported(owner, COMPANY, **query))]
        assert found == [entries[n].id for n in wanted], query
    team = [line["id"] for line in lines(await exported(owner, TEAM))]
    assert team == [entry.id for entry in entries if entry.team_id == owner.team.id]


async def test_the_instances_trail_is_exported_to_operators(world: World) -> None:
    operator = await world.bootstrap()
    await plant(world, [Made("", actor_kind="provision", action="tenant.suspend")])
    answer = await operator.get(TEAM, params={"scope": "instance", "format": "jsonl"})
    assert [line["action"] for line in lines(answer.content)] == ["tenant.suspend"]
    assert 'filename="audit-instance-' in answer.headers["content-disposition"]
    admin = await world.person(operator.org, operator.team, Role.ADMIN)
    assert code(await admin.get(TEAM, params={"scope": "instance", "format": "jsonl"})) == (403, "forbidden")


async def test_what_was_just_done_is_sealed_and_in_the_export(world: World) -> None:
    ann = await world.bootstrap()
    for n in range(1, 5):
        assert (await ann.post("/api/notes", {"title": f"Note {n}"})).status_code == 201
        found = lines(await exported(ann, COMPANY))
        assert [line["seq"] for line in found] == list(range(1, n + 2))


async def test_times_narrow_what_is_looked_at(world: World, owner: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """A day of a long trail costs a day: rows are read from a little before it to a little after it."""
    entries = await plant(world, [Made(owner.org.id, at=f"2026-03-01T{n:02d}:00:00.000Z") for n in range(24)])
    await audit.seal(world.db)
    stretches, real = [], store.select_lines

    async def noted(db: Any, search: Any, after: int, through: int) -> Any:
        stretches.append((after, through))
        return await real(db, search, after, through)

    monkeypatch.setattr(store, "select_lines", noted)
    query = {"since": "2026-03-01T10:00:00Z", "until": "2026-03-01T12:00:00Z"}
    found = [line["id"] for line in lines(await exported(owner, COMPANY, **query))]
    assert found == [entries[10].id, entries[11].id]
    assert stretches == [(10, 14)]


async def test_a_row_that_was_sealed_late_stands_where_the_chain_has_it(
    world: World, owner: Caller, console: Console
) -> None:
    """A slow transaction commits after newer ones were sealed: its id is old, its number is not."""
    first = await plant(world, [Made(owner.org.id, at=at(n)) for n in (0, 20)])
    await audit.seal(world.db)
    late = await plant(world, [Made(owner.org.id, at=at(n)) for n in (10, 30)])
    content = await exported(owner, COMPANY)
    assert [line["id"] for line in lines(content)] == [entry.id for entry in first + late]
    between = await exported(owner, COMPANY, since=at(5), until=at(15))
    assert [line["seq"] for line in lines(between)] == [3]
    assert console("verify", "-", "--whole", stdin=content).status == 0


async def chunks(db: Db, owner: Caller) -> AsyncIterator[bytes]:
    who = Principal("api", Call(), org_id=owner.org.id, team_id=owner.team.id)
    return (await exporting.export(db, searching.company_log(who), AuditQuery())).chunks


async def test_an_export_holds_a_page_at_a_time(world: World, owner: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "STRIDE", 10)
    await grown(world, owner, 95)
    sizes = [chunk.count(b"\n") async for chunk in await chunks(world.db, owner)]
    assert sizes == [10] * 9 + [5]


async def test_an_export_ends_although_events_keep_coming(
    world: World, owner: Caller, monkeypatch: pytest.MonkeyPatch, console: Console
) -> None:
    monkeypatch.setattr(exporting, "STRIDE", 10)
    await grown(world, owner, 40)
    content = b""
    async for chunk in await chunks(world.db, owner):
        content += chunk
        await plant(world, [Made(owner.org.id, at=at(100))] * 20)
        await audit.seal(world.db)
    assert console("verify", "-", "--whole", stdin=content).out.startswith("ok: 40 events")


@pytest.mark.both_databases
async def test_exports_beside_writers_verify(world: World, console: Console) -> None:
    ann = await world.bootstrap()

    async def write() -> None:
        for n in range(15):
            assert (await ann.post("/api/notes", {"title": f"Note {n}"})).status_code == 201

    async def take() -> list[bytes]:
        return [await exported(ann, COMPANY) for _ in range(8)]

    taken, _ = await asyncio.gather(take(), asyncio.gather(*(write() for _ in range(4))))
    for content in [*taken, await exported(ann, COMPANY)]:
        assert console("verify", "-", "--whole", stdin=content).status == 0
    assert len(content.splitlines()) == 61


async def test_the_command_line_verifies_an_export(
    world: World, owner: Caller, console: Console, tmp_path: Path
) -> None:
    await grown(world, owner)
    file = tmp_path / "trail.jsonl"
    file.write_bytes(await exported(owner, COMPANY))
    head = lines(file.read_bytes())[-1]["hash"]
    ended = console("verify", str(file))
    assert (ended.status, ended.out) == (0, f"ok: 30 events of company {owner.org.id}, 1 to 30, head {head}\n")
    file.write_bytes(await exported(owner, TEAM))
    ended = console("verify", str(file))
    assert ended.status == 0
    assert re.match(
        rf"ok: 10 of 28 events of company {owner.org.id}, 1 to 28, head [0-9a-f]{{64}}; gaps: 9\n", ended.out
    )
    assert console("verify", str(file), "--whole").status == 1


async def test_the_description_names_both_forms(world: World) -> None:
    described = (await world.anonymous.get("/api/openapi.json")).json()
    for path in (TEAM, COMPANY):
        assert set(described["paths"][path]["get"]["responses"]["200"]["content"]) == {
            "application/json",
            "application/x-ndjson",
        }
