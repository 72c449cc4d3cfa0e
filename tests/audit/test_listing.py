"""The trail as its readers meet it: who reads which, every filter, and pages."""

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
from tests.audit.help import NOON, Made, at, code, exported, ids, lines, listed, plant
from tests.support.world import Caller, World

ACTIONS = ("note.create", "note.update", "note.share", "notes.x", "note", "token.create", "session.open")
KINDS = ("system", "provision", "anonymous", "worker")
TEAM, COMPANY = "/api/audit", "/api/org/audit"


async def test_an_event_is_told_in_full(world: World) -> None:
    ann = await world.bootstrap()
    note = (await ann.post("/api/notes", {"title": "Plan"}, headers={"x-request-id": "the-request"})).json()
    (event,) = await listed(ann, TEAM, action="note.create")
    assert event.pop("id") > note["id"]
    assert event.pop("at") >= note["created_at"]
    assert event == {
        "actor": {"kind": "api", "id": ann.user_id, "username": "ann"}, "action": "note.create", "target": note["id"],
        "detail": {}, "team_id": ann.team.id, "request_id": "the-request", "address": "127.0.0.1",
        "seq": None, "hash": None,
    }  # fmt: skip
    await audit.seal(world.db)
    (event,) = await listed(ann, TEAM, action="note.create")
    assert event["seq"] == 2 and len(event["hash"]) == 64


async def test_an_event_tells_its_detail_as_an_object_and_nothing_of_the_content(world: World) -> None:
    ann = await world.bootstrap()
    note = (await ann.post("/api/notes", {"title": "A private title"})).json()
    await ann.put(f"/api/notes/{note['id']}", {"body": "A private text"})
    answer = await ann.get(TEAM)
    assert answer.json()["items"][0]["detail"] == {"version": 2}
    assert "private" not in answer.text


async def test_who_is_gone_has_no_name(world: World) -> None:
    ann = await world.bootstrap()
    await plant(world, [Made(ann.org.id, team_id=ann.team.id, actor_id="somebody who was")])
    (event,) = await listed(ann, TEAM, actor="somebody who was")
    assert event["actor"] == {"kind": "api", "id": "somebody who was", "username": None}


# Who reads which trail


class Readers:
    """Two companies, the first with two teams, and one event in each place that an event can be in."""

    def __init__(self, **facts: Any) -> None:
        self.operator: Caller = facts["operator"]
        self.owner: Caller = facts["owner"]
        self.sister: Caller = facts["sister"]
        self.reader: Caller = facts["reader"]
        self.stranger: Caller = facts["stranger"]


PLACES = ("team", "sister", "company", "elsewhere", "instance")


@pytest.fixture
async def readers(world: World) -> Readers:
    operator = await world.bootstrap()
    org, team = await world.company()
    sister = await world.team(org)
    foreign, other = await world.company()
    places = ((org.id, team.id), (org.id, sister.id), (org.id, None), (foreign.id, other.id), ("", None))
    events = [
        Made(org_id, team_id=team_id, target=name) for name, (org_id, team_id) in zip(PLACES, places, strict=True)
    ]
    await plant(world, events)
    return Readers(
        operator=operator,
        owner=await world.person(org, team, Role.OWNER),
        sister=await world.person(org, sister, Role.ADMIN),
        reader=await world.person(org, sister, Role.GUEST, org_role=OrgRole.READER),
        stranger=await world.person(foreign, other, Role.OWNER, org_role=OrgRole.OWNER),
    )


async def targets(who: Caller, path: str, **query: str) -> list[str]:
    return sorted(item["target"] for item in await listed(who, path, **query) if item["target"] in PLACES)


async def test_a_trail_holds_what_belongs_to_it_and_nothing_else(readers: Readers) -> None:
    assert await targets(readers.owner, TEAM) == ["team"]
    assert await targets(readers.sister, TEAM) == ["sister"]
    assert await targets(readers.reader, COMPANY) == ["company", "sister", "team"]
    assert await targets(readers.stranger, TEAM) == ["elsewhere"]
    assert await targets(readers.stranger, COMPANY) == ["elsewhere"]
    assert await targets(readers.operator, TEAM) == await targets(readers.operator, COMPANY) == []
    assert await targets(readers.operator, TEAM, scope="instance") == ["instance"]


async def test_a_filter_opens_no_other_trail(readers: Readers) -> None:
    for query in ({"action": "note.create"}, {"action": "note."}, {"since": NOON}, {"target": "team"}):
        assert await targets(readers.stranger, COMPANY, **query) in (["elsewhere"], [])
        assert await targets(readers.sister, TEAM, **query) in (["sister"], [])
    assert await listed(readers.stranger, COMPANY, actor=readers.owner.user_id) == []
    assert await targets(readers.owner, TEAM, target="sister") == []


async def test_a_trail_asks_for_its_permission(world: World, readers: Readers) -> None:
    assert code(await readers.reader.get(TEAM)) == (403, "forbidden")
    member = await world.person(readers.owner.org, readers.owner.team)
    assert code(await member.get(TEAM)) == (403, "forbidden")
    assert code(await member.get(COMPANY)) == (403, "forbidden")
    assert code(await readers.owner.get(COMPANY)) == (403, "forbidden")
    assert (await world.anonymous.get(TEAM)).status_code == 401
    scoped = await world.token(readers.owner, scope=["notes:read"])
    assert code(await scoped.get(TEAM)) == (403, "out_of_scope")


async def test_the_instances_trail_is_the_operators(world: World, readers: Readers) -> None:
    for who in (readers.owner, readers.stranger, await world.token(readers.operator, scope=["settings:manage"])):
        answer = await who.get(TEAM, params={"scope": "instance"})
        assert code(answer) == (403, "forbidden")
        assert "instance:manage" in answer.json()["detail"]
    assert (await readers.operator.get(COMPANY, params={"scope": "instance"})).status_code == 400


# Filters


async def busy(world: World) -> tuple[Caller, list[audit.AuditRow]]:
    """A thousand events of two companies within ten minutes, in no order; the first company's owner."""
    dice = random.Random(7)
    org, team = await world.company()
    other, _ = await world.company()
    sister = await world.team(org)
    owner = await world.person(org, team, Role.OWNER, org_role=OrgRole.READER)
    people = [owner.user_id, "bob", "zoe", None]
    events = []
    for _ in range(1000):
        actor_id = dice.choice(people)
        event = Made(
            org_id=dice.choice((org.id, org.id, other.id)), team_id=dice.choice((team.id, sister.id, None)),
            at=at(dice.randrange(600_000) / 1000), actor_id=actor_id, actor_kind="api" if actor_id else dice.choice(KINDS),
            action=dice.choice(ACTIONS), target=dice.choice((None, "t1", "t2", "t3")), lag=dice.choice((-90, 0, 0, 3)),
        )  # fmt: skip
        events.append(event)
    return owner, await plant(world, events)


def passes(entry: audit.AuditRow, query: dict[str, str]) -> bool:
    """The filters, in plain words."""
    action = query.get("action", entry.action)
    return (
        query.get("actor", entry.actor_id or entry.actor_kind) == (entry.actor_id or entry.actor_kind)
        and (entry.action.startswith(action) if action.endswith(".") else entry.action == action)
        and query.get("target", entry.target) == entry.target
        and query.get("since", entry.at) <= entry.at
        and not ("until" in query and entry.at >= query["until"])
    )


def queries(owner: Caller) -> list[dict[str, str]]:
    """Every filter alone, and mixtures of them."""
    dice = random.Random(11)
    values = {
        "actor": [owner.user_id, "bob", "system", "worker", "anonymous", "provision", "nobody"],
        "action": ["note.create", "note.", "token.", "session.open", "note", "nothing.", "nothing"],
        "target": ["t1", "t2", "t9"],
        "since": [at(0), at(123.456), at(550), at(599.999)],
        "until": [at(0), at(60), at(333.333), at(599.999)],
    }
    alone = [{name: value} for name, choices in values.items() for value in choices]
    mixed = [
        {name: dice.choice(values[name]) for name in dice.sample(sorted(values), dice.randint(2, 4))} for _ in range(40)
    ]
    return [{}, *alone, *mixed]


@pytest.mark.parametrize("path", [TEAM, COMPANY])
async def test_every_filter_finds_what_a_plain_loop_finds(world: World, path: str) -> None:
    owner, entries = await busy(world)
    await audit.seal(world.db)
    dice = random.Random(3)
    for query in queries(owner):
        wanted = [
            entry.id
            for entry in sorted(entries, key=lambda entry: entry.id, reverse=True)
            if entry.org_id == owner.org.id and (path == COMPANY or entry.team_id == owner.team.id)
            if passes(entry, query)
        ]
        assert ids(await listed(owner, path, limit=dice.choice((3, 17, 200)), **query)) == wanted, query


async def test_what_is_far_back_is_found_in_strides(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "STRIDE", 7)
    org, team = await world.company()
    sister = await world.team(org)
    owner = await world.person(org, team, Role.OWNER)
    events = [Made(org.id, at=at(n), team_id=team.id if n % 41 == 0 else sister.id) for n in range(600)]
    entries = await plant(world, events)
    wanted = [entry.id for entry in reversed(entries) if entry.team_id == team.id]
    assert len(wanted) == 15
    for limit in (1, 2, 14, 15, 16):
        assert ids(await listed(owner, TEAM, limit=limit, action="note.create")) == wanted


async def test_a_row_that_comes_late_hides_no_other_and_doubles_none(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its id may be older than rows that were seen already, as a slow transaction's is."""
    org, team = await world.company()
    sister = await world.team(org)
    owner = await world.person(org, team, Role.OWNER, org_role=OrgRole.READER)
    places = [team, team, sister, sister, sister, team]  # oldest first; the first stride ends at the second
    await plant(world, [Made(org.id, at=at(10 * n), team_id=place.id) for n, place in enumerate(places)])
    real, late = store.walk_end, [at(45), at(44), at(5), at(4)]

    async def delayed(db: Reads, *rest: Any) -> str | None:
        found = await real(db, *rest)
        if late:
            await plant(world, [Made(org.id, at=late.pop(0), team_id=sister.id)])
        return found

    monkeypatch.setattr(store, "walk_end", delayed)
    monkeypatch.setattr(store, "index_walks", lambda search: [(Clause("audit.org_id = :org_id"),)])
    found = (await owner.get(TEAM, params={"limit": "4"})).json()["items"]
    assert [item["at"] for item in found] == [at(50), at(10), at(0)]


async def test_times_may_be_given_with_any_offset_and_precision(world: World) -> None:
    org, team = await world.company()
    owner = await world.person(org, team, Role.OWNER)
    first, second = await plant(
        world, [Made(org.id, at=at(0), team_id=team.id), Made(org.id, at=at(1), team_id=team.id)]
    )
    for since, wanted in {
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
        assert ids(await listed(owner, TEAM, since=since)) == wanted, since
        assert ids(await listed(owner, TEAM, until=since)) == [x for x in (second.id, first.id) if x not in wanted]


async def test_times_mean_the_rows_own_not_that_of_its_id(world: World) -> None:
    """The two are taken one after the other, and a clock may be set back in between."""
    org, team = await world.company()
    owner = await world.person(org, team, Role.OWNER, org_role=OrgRole.READER)
    lags = (-30_000, -1, 0, 1, 30_000)
    await plant(world, [Made(org.id, at=at(n), team_id=team.id, lag=lag) for n in (59, 60, 61) for lag in lags])
    for path in (TEAM, COMPANY):
        assert {item["at"] for item in await listed(owner, path, since=at(60), until=at(61))} == {at(60)}
        assert len(await listed(owner, path, since=at(60), until=at(61))) == len(lags)
        assert len(lines(await exported(owner, path, since=at(60), until=at(61)))) == len(lags)


BAD_TIMES = (
    "", "yesterday", "2026-03-01", "2026-03-01T12:00:00", "2026-03-01T12:00:00 02:00", "1772366400",
    "2026-02-30T12:00:00Z", "2026-03-01T25:00:00Z", "2026-03-01T12:00:00+99:99", "٢٠٢٦-03-01T12:00:00Z",
)  # fmt: skip


async def test_a_time_that_is_none_is_refused_by_name(world: World) -> None:
    ann = await world.bootstrap()
    for path, name, time in itertools.product((TEAM, COMPANY), ("since", "until"), BAD_TIMES):
        answer = await ann.get(path, params={name: time})
        assert code(answer) == (400, "invalid_request"), time
        assert answer.json()["errors"][0]["pointer"] == name


BAD_QUERIES = (
    {"cursor": "nonsense!"}, {"cursor": ""}, {"limit": "0"}, {"limit": "many"}, {"actor": ""}, {"action": "x" * 301},
    {"scope": "org"}, {"format": "xml"}, {"who": "ann"}, {"format": "jsonl", "cursor": "eA"},
)  # fmt: skip


async def test_a_query_that_makes_no_sense_is_refused(world: World) -> None:
    ann = await world.bootstrap()
    for query in BAD_QUERIES:
        assert code(await ann.get(TEAM, params=query)) == (400, "invalid_request"), query


async def test_a_page_stays_where_it_was_while_events_come(world: World) -> None:
    org, team = await world.company()
    owner = await world.person(org, team, Role.OWNER)
    await plant(world, [Made(org.id, at=at(n), team_id=team.id) for n in range(10)])
    first = (await owner.get(TEAM, params={"limit": "5"})).json()
    await plant(world, [Made(org.id, at=at(60), team_id=team.id)])
    rest = (await owner.get(TEAM, params={"limit": "5", "cursor": first["next_cursor"]})).json()
    assert [item["at"] for item in first["items"] + rest["items"]] == [at(n) for n in reversed(range(10))]
    assert rest["next_cursor"] is None


# Cost

ON_SQLITE = pytest.mark.parametrize("database_url", [pytest.param("", id="sqlite")])


class Planner:
    """Notes every statement about the trail, and tells how SQLite would go about it."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self._fetch = world.db.engine.fetch
        self._asked: list[tuple[str, Any]] = []
        monkeypatch.setattr(world.db.engine, "fetch", self._noted(world.db.engine.fetch))
        within = SqliteTransaction.fetch
        monkeypatch.setattr(SqliteTransaction, "fetch", lambda *given: self._noted(within, given[0])(*given[1:]))

    def _noted(self, fetch: Any, *bound: Any) -> Any:
        async def noted(sql: str, params: Any) -> Any:
            if re.match(r"(SELECT|UPDATE)\b.*\baudit\b", sql):
                self._asked.append((sql, params))
            return await fetch(*bound, sql, params)

        return noted

    async def plans(self) -> list[tuple[str, list[str]]]:
        return [
            (sql, [row[3] for row in await self._fetch(f"EXPLAIN QUERY PLAN {sql}", params)])
            for sql, params in list(self._asked)
        ]


@ON_SQLITE
async def test_every_filter_walks_an_index(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, _ = await busy(world)
    planner = Planner(world, monkeypatch)
    for query in queries(owner):
        for path in (TEAM, COMPANY):
            await listed(owner, path, **query)
    plans = await planner.plans()
    assert len(plans) > 300
    for sql, plan in plans:
        assert not [step for step in plan if "SCAN audit" in step or "TEMP B-TREE" in step], (sql, plan)


@ON_SQLITE
async def test_the_sealer_and_an_export_pass_nothing_they_need_not(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, _ = await busy(world)
    planner = Planner(world, monkeypatch)
    await exported(owner, COMPANY, action="note.", since=at(60))
    plans = await planner.plans()
    assert len(plans) > 10
    for sql, plan in plans:
        assert not [step for step in plan if "SCAN audit" in step], (sql, plan)
        if "seq IS NULL" in sql:
            assert plan == ["SEARCH audit USING INDEX audit_unsealed (org_id=? AND seq=?)"]
