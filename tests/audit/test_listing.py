"""Audit log lists: who can read which log, filters, and paging."""

import itertools
import random
import re
from typing import Any

import pytest

from teamspace.audit import store
from teamspace.audit.domain import listing
from teamspace.core.db import Clause, Reads, audit
from teamspace.core.db.sqlite import SqliteTransaction
from teamspace.tenancy.schemas import OrgRole, Role
from tests.audit.help import NOON, Event, at, code, fetch_export, ids, insert_events, lines, list_all
from tests.support.world import Caller, World

ACTIONS = ("note.create", "note.update", "note.share", "notes.x", "note", "token.create", "session.open")
KINDS = ("system", "provision", "anonymous", "worker")
TEAM, COMPANY = "/api/audit", "/api/org/audit"


async def test_an_event_has_all_fields(world: World) -> None:
    ann = await world.bootstrap()
    note = (await ann.post("/api/notes", {"title": "Plan"}, headers={"x-request-id": "the-request"})).json()
    (event,) = await list_all(ann, TEAM, action="note.create")
    assert event.pop("id") > note["id"]
    assert event.pop("at") >= note["created_at"]
    assert event == {
        "actor": {"kind": "api", "id": ann.user_id, "username": "ann"}, "action": "note.create", "target": note["id"],
        "detail": {}, "team_id": ann.team.id, "request_id": "the-request", "address": "127.0.0.1",
        "seq": None, "hash": None,
    }  # fmt: skip
    await audit.seal(world.db)
    (event,) = await list_all(ann, TEAM, action="note.create")
    assert event["seq"] == 2 and len(event["hash"]) == 64


async def test_the_detail_of_an_event_is_an_object_without_content(world: World) -> None:
    ann = await world.bootstrap()
    note = (await ann.post("/api/notes", {"title": "A private title"})).json()
    await ann.put(f"/api/notes/{note['id']}", {"body": "A private text"})
    answer = await ann.get(TEAM)
    assert answer.json()["items"][0]["detail"] == {"version": 2}
    assert "private" not in answer.text


async def test_a_deleted_actor_has_no_username(world: World) -> None:
    ann = await world.bootstrap()
    await insert_events(world, [Event(ann.org.id, team_id=ann.team.id, actor_id="somebody who was")])
    (event,) = await list_all(ann, TEAM, actor="somebody who was")
    assert event["actor"] == {"kind": "api", "id": "somebody who was", "username": None}


# Who can read which log


class Readers:
    """Callers of two companies, the first with two teams; each log has one event."""

    def __init__(self, **callers: Any) -> None:
        self.operator: Caller = callers["operator"]
        self.owner: Caller = callers["owner"]
        self.sister: Caller = callers["sister"]
        self.reader: Caller = callers["reader"]
        self.stranger: Caller = callers["stranger"]


LOGS = ("team", "sister", "company", "elsewhere", "instance")


@pytest.fixture
async def readers(world: World) -> Readers:
    operator = await world.bootstrap()
    org, team = await world.company()
    sister = await world.team(org)
    foreign, other = await world.company()
    owners = ((org.id, team.id), (org.id, sister.id), (org.id, None), (foreign.id, other.id), ("", None))
    events = [Event(org_id, team_id=team_id, target=name) for name, (org_id, team_id) in zip(LOGS, owners, strict=True)]
    await insert_events(world, events)
    return Readers(
        operator=operator,
        owner=await world.person(org, team, Role.OWNER),
        sister=await world.person(org, sister, Role.ADMIN),
        reader=await world.person(org, sister, Role.GUEST, org_role=OrgRole.READER),
        stranger=await world.person(foreign, other, Role.OWNER, org_role=OrgRole.OWNER),
    )


async def targets(who: Caller, path: str, **query: str) -> list[str]:
    return sorted(item["target"] for item in await list_all(who, path, **query) if item["target"] in LOGS)


async def test_each_log_has_only_its_own_events(readers: Readers) -> None:
    assert await targets(readers.owner, TEAM) == ["team"]
    assert await targets(readers.sister, TEAM) == ["sister"]
    assert await targets(readers.reader, COMPANY) == ["company", "sister", "team"]
    assert await targets(readers.stranger, TEAM) == ["elsewhere"]
    assert await targets(readers.stranger, COMPANY) == ["elsewhere"]
    assert await targets(readers.operator, TEAM) == await targets(readers.operator, COMPANY) == []
    assert await targets(readers.operator, TEAM, scope="instance") == ["instance"]


async def test_filters_give_no_access_to_other_logs(readers: Readers) -> None:
    for query in ({"action": "note.create"}, {"action": "note."}, {"since": NOON}, {"target": "team"}):
        assert await targets(readers.stranger, COMPANY, **query) in (["elsewhere"], [])
        assert await targets(readers.sister, TEAM, **query) in (["sister"], [])
    assert await list_all(readers.stranger, COMPANY, actor=readers.owner.user_id) == []
    assert await targets(readers.owner, TEAM, target="sister") == []


async def test_each_log_needs_its_permission(world: World, readers: Readers) -> None:
    assert code(await readers.reader.get(TEAM)) == (403, "forbidden")
    member = await world.person(readers.owner.org, readers.owner.team)
    assert code(await member.get(TEAM)) == (403, "forbidden")
    assert code(await member.get(COMPANY)) == (403, "forbidden")
    assert code(await readers.owner.get(COMPANY)) == (403, "forbidden")
    assert (await world.anonymous.get(TEAM)).status_code == 401
    scoped = await world.token(readers.owner, scope=["notes:read"])
    assert code(await scoped.get(TEAM)) == (403, "out_of_scope")


async def test_only_operators_can_read_the_instance_log(world: World, readers: Readers) -> None:
    for who in (readers.owner, readers.stranger, await world.token(readers.operator, scope=["settings:manage"])):
        answer = await who.get(TEAM, params={"scope": "instance"})
        assert code(answer) == (403, "forbidden")
        assert "instance:manage" in answer.json()["detail"]
    assert (await readers.operator.get(COMPANY, params={"scope": "instance"})).status_code == 400


# Filters


async def insert_random_events(world: World) -> tuple[Caller, list[audit.AuditRow]]:
    """A thousand events of two companies within ten minutes, in random order; returns the first company's owner too."""
    rng = random.Random(7)
    org, team = await world.company()
    other, _ = await world.company()
    sister = await world.team(org)
    owner = await world.person(org, team, Role.OWNER, org_role=OrgRole.READER)
    people = [owner.user_id, "bob", "zoe", None]
    events = []
    for _ in range(1000):
        actor_id = rng.choice(people)
        event = Event(
            org_id=rng.choice((org.id, org.id, other.id)), team_id=rng.choice((team.id, sister.id, None)),
            at=at(rng.randrange(600_000) / 1000), actor_id=actor_id, actor_kind="api" if actor_id else rng.choice(KINDS),
            action=rng.choice(ACTIONS), target=rng.choice((None, "t1", "t2", "t3")), lag=rng.choice((-90, 0, 0, 3)),
        )  # fmt: skip
        events.append(event)
    return owner, await insert_events(world, events)


def matches(row: audit.AuditRow, query: dict[str, str]) -> bool:
    """The filters in plain Python."""
    action = query.get("action", row.action)
    return (
        query.get("actor", row.actor_id or row.actor_kind) == (row.actor_id or row.actor_kind)
        and (row.action.startswith(action) if action.endswith(".") else row.action == action)
        and query.get("target", row.target) == row.target
        and query.get("since", row.at) <= row.at
        and not ("until" in query and row.at >= query["until"])
    )


def queries(owner: Caller) -> list[dict[str, str]]:
    """Every filter alone, and combinations."""
    rng = random.Random(11)
    values = {
        "actor": [owner.user_id, "bob", "system", "worker", "anonymous", "provision", "nobody"],
        "action": ["note.create", "note.", "token.", "session.open", "note", "nothing.", "nothing"],
        "target": ["t1", "t2", "t9"],
        "since": [at(0), at(123.456), at(550), at(599.999)],
        "until": [at(0), at(60), at(333.333), at(599.999)],
    }
    single = [{name: value} for name, choices in values.items() for value in choices]
    mixed = [
        {name: rng.choice(values[name]) for name in rng.sample(sorted(values), rng.randint(2, 4))} for _ in range(40)
    ]
    return [{}, *single, *mixed]


@pytest.mark.parametrize("path", [TEAM, COMPANY])
async def test_filters_match_a_plain_python_filter(world: World, path: str) -> None:
    owner, rows = await insert_random_events(world)
    await audit.seal(world.db)
    rng = random.Random(3)
    for query in queries(owner):
        expected = [
            row.id
            for row in sorted(rows, key=lambda row: row.id, reverse=True)
            if row.org_id == owner.org.id and (path == COMPANY or row.team_id == owner.team.id)
            if matches(row, query)
        ]
        assert ids(await list_all(owner, path, limit=rng.choice((3, 17, 200)), **query)) == expected, query


async def test_rare_events_are_found_across_strides(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "STRIDE", 7)
    org, team = await world.company()
    sister = await world.team(org)
    owner = await world.person(org, team, Role.OWNER)
    events = [Event(org.id, at=at(n), team_id=team.id if n % 41 == 0 else sister.id) for n in range(600)]
    rows = await insert_events(world, events)
    expected = [row.id for row in reversed(rows) if row.team_id == team.id]
    assert len(expected) == 15
    for limit in (1, 2, 14, 15, 16):
        assert ids(await list_all(owner, TEAM, limit=limit, action="note.create")) == expected


async def test_a_late_row_neither_hides_nor_duplicates_others(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The id of a slow transaction can be older than rows already returned."""
    org, team = await world.company()
    sister = await world.team(org)
    owner = await world.person(org, team, Role.OWNER, org_role=OrgRole.READER)
    teams = [team, team, sister, sister, sister, team]  # oldest first; the first stride ends at the second
    await insert_events(
        world, [Event(org.id, at=at(10 * n), team_id=owning_team.id) for n, owning_team in enumerate(teams)]
    )
    real, late = store.walk_end, [at(45), at(44), at(5), at(4)]

    async def delayed(db: Reads, *rest: Any) -> str | None:
        found = await real(db, *rest)
        if late:
            await insert_events(world, [Event(org.id, at=late.pop(0), team_id=sister.id)])
        return found

    monkeypatch.setattr(store, "walk_end", delayed)
    monkeypatch.setattr(store, "index_walks", lambda search: [(Clause("audit.org_id = :org_id"),)])
    found = (await owner.get(TEAM, params={"limit": "4"})).json()["items"]
    assert [item["at"] for item in found] == [at(50), at(10), at(0)]


async def test_times_accept_any_offset_and_precision(world: World) -> None:
    org, team = await world.company()
    owner = await world.person(org, team, Role.OWNER)
    first, second = await insert_events(
        world, [Event(org.id, at=at(0), team_id=team.id), Event(org.id, at=at(1), team_id=team.id)]
    )
    for since, expected in {
        "2026-03-01T12:00:00Z": [second.id, first.id],
        "2026-03-01T14:00:00+02:00": [second.id, first.id],
        "2026-03-01t14:30:00.000+02:30": [second.id, first.id],
        "2026-03-01T11:59:59.9999Z": [second.id, first.id],
        "2026-03-01T12:00:00.0001Z": [second.id],
        "2026-03-01T07:00:00.001-05:00": [second.id],
        "2026-03-01T12:00:01.001z": [],
        "0001-01-01T00:00:00+14:00": [second.id, first.id],
        "9999-12-31T23:59:59.9999-14:00": [],
    }.items():
        assert ids(await list_all(owner, TEAM, since=since)) == expected, since
        assert ids(await list_all(owner, TEAM, until=since)) == [x for x in (second.id, first.id) if x not in expected]


async def test_time_filters_use_the_time_of_the_row_not_of_its_id(world: World) -> None:
    """They are read one after the other, and the clock can be set back in between."""
    org, team = await world.company()
    owner = await world.person(org, team, Role.OWNER, org_role=OrgRole.READER)
    lags = (-30_000, -1, 0, 1, 30_000)
    await insert_events(
        world, [Event(org.id, at=at(n), team_id=team.id, lag=lag) for n in (59, 60, 61) for lag in lags]
    )
    for path in (TEAM, COMPANY):
        assert {item["at"] for item in await list_all(owner, path, since=at(60), until=at(61))} == {at(60)}
        assert len(await list_all(owner, path, since=at(60), until=at(61))) == len(lags)
        assert len(lines(await fetch_export(owner, path, since=at(60), until=at(61)))) == len(lags)


BAD_TIMES = (
    "", "yesterday", "2026-03-01", "2026-03-01T12:00:00", "2026-03-01T12:00:00 02:00", "1772366400",
    "2026-02-30T12:00:00Z", "2026-03-01T25:00:00Z", "2026-03-01T12:00:00+99:99", "٢٠٢٦-03-01T12:00:00Z",
)  # fmt: skip


async def test_a_malformed_time_is_refused_and_named(world: World) -> None:
    ann = await world.bootstrap()
    for path, name, time in itertools.product((TEAM, COMPANY), ("since", "until"), BAD_TIMES):
        answer = await ann.get(path, params={name: time})
        assert code(answer) == (400, "invalid_request"), time
        assert answer.json()["errors"][0]["pointer"] == name


BAD_QUERIES = (
    {"cursor": "nonsense!"}, {"cursor": ""}, {"limit": "0"}, {"limit": "many"}, {"actor": ""}, {"action": "x" * 301},
    {"scope": "org"}, {"format": "xml"}, {"who": "ann"}, {"format": "jsonl", "cursor": "eA"},
)  # fmt: skip


async def test_an_invalid_query_is_refused(world: World) -> None:
    ann = await world.bootstrap()
    for query in BAD_QUERIES:
        assert code(await ann.get(TEAM, params=query)) == (400, "invalid_request"), query


async def test_pages_are_stable_while_events_are_added(world: World) -> None:
    org, team = await world.company()
    owner = await world.person(org, team, Role.OWNER)
    await insert_events(world, [Event(org.id, at=at(n), team_id=team.id) for n in range(10)])
    first = (await owner.get(TEAM, params={"limit": "5"})).json()
    await insert_events(world, [Event(org.id, at=at(60), team_id=team.id)])
    rest = (await owner.get(TEAM, params={"limit": "5", "cursor": first["next_cursor"]})).json()
    assert [item["at"] for item in first["items"] + rest["items"]] == [at(n) for n in reversed(range(10))]
    assert rest["next_cursor"] is None


# Cost

ON_SQLITE = pytest.mark.parametrize("database_url", [pytest.param("", id="sqlite")])


class Planner:
    """Records every statement on the audit table, and returns the query plans of SQLite."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self._fetch = world.db.engine.fetch
        self._statements: list[tuple[str, Any]] = []
        monkeypatch.setattr(world.db.engine, "fetch", self._recording(world.db.engine.fetch))
        fetch_in_transaction = SqliteTransaction.fetch
        monkeypatch.setattr(
            SqliteTransaction,
            "fetch",
            lambda *arguments: self._recording(fetch_in_transaction, arguments[0])(*arguments[1:]),
        )

    def _recording(self, fetch: Any, *bound: Any) -> Any:
        async def recorded(sql: str, params: Any) -> Any:
            if re.match(r"(SELECT|UPDATE)\b.*\baudit\b", sql):
                self._statements.append((sql, params))
            return await fetch(*bound, sql, params)

        return recorded

    async def plans(self) -> list[tuple[str, list[str]]]:
        return [
            (sql, [row[3] for row in await self._fetch(f"EXPLAIN QUERY PLAN {sql}", params)])
            for sql, params in list(self._statements)
        ]


@ON_SQLITE
async def test_every_filter_uses_an_index(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, _ = await insert_random_events(world)
    planner = Planner(world, monkeypatch)
    for query in queries(owner):
        for path in (TEAM, COMPANY):
            await list_all(owner, path, **query)
    plans = await planner.plans()
    assert len(plans) > 300
    for sql, plan in plans:
        assert not [step for step in plan if "SCAN audit" in step or "TEMP B-TREE" in step], (sql, plan)


@ON_SQLITE
async def test_sealing_and_export_scan_no_table(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, _ = await insert_random_events(world)
    planner = Planner(world, monkeypatch)
    await fetch_export(owner, COMPANY, action="note.", since=at(60))
    plans = await planner.plans()
    assert len(plans) > 10
    for sql, plan in plans:
        assert not [step for step in plan if "SCAN audit" in step], (sql, plan)
        if "seq IS NULL" in sql:
            assert plan == ["SEARCH audit USING INDEX audit_unsealed (org_id=? AND seq=?)"]
