"""Usage by day: the history adds up to what happened, and shows no other team's."""

import asyncio
from collections import Counter
from random import Random
from typing import Any

import pytest

from teamspace import quota
from teamspace.core import clock
from teamspace.core.principal import system
from teamspace.core.traffic import TeamTraffic, Traffic
from teamspace.quota import Dimension, Level, QuotaAccount, QuotaDraft, Spend
from teamspace.quota.schemas import Window
from tests.identity.help import Hands, broken, run_sql
from tests.repository.help import put, share
from tests.s3.in_process import InProcessBucket
from tests.support.world import Caller, World

NOON = 1_709_208_030.0  # 29 February 2024
METRICS = [
    "storage.bytes", "storage.objects", "traffic.received", "traffic.sent", "ai.requests", "ai.tokens.total",
]  # fmt: skip


async def history(caller: Caller, metric: str, days: int = 30) -> dict[str, Any]:
    answer = await caller.get(f"/api/usage/history?days={days}&metric={metric}")
    assert answer.status_code == 200, answer.text
    (item,) = answer.json()["items"]
    shown: dict[str, Any] = item
    return shown


async def begin_long_ago(world: World) -> None:
    """Move the foundation of everything, and the first recorded day, into the past."""
    for sql in (
        "UPDATE orgs SET created_at = '2020-01-01T00:00:00.000Z'",
        "UPDATE teams SET created_at = '2020-01-01T00:00:00.000Z'",
        "UPDATE quota_history SET since = '2020-01-01'",
    ):
        await run_sql(world, sql)


async def spend(world: World, caller: Caller, tokens: int) -> None:
    async with world.db.maintenance(system()) as tx:
        await quota.spend(
            tx, QuotaAccount(caller.org.id, caller.team.id, caller.user_id), Spend(1, tokens), purpose="test"
        )


async def test_a_new_team_has_today(world: World) -> None:
    ann = await world.bootstrap()
    answer = (await ann.get("/api/usage/history")).json()
    assert [item["metric"] for item in answer["items"]] == METRICS
    today = clock.stamp()[:10]
    for item in answer["items"]:
        assert [day["day"] for day in item["days"]] == [today]
    assert (await ann.get("/api/usage/history?days=0")).status_code == 400
    assert (await ann.get("/api/usage/history?days=366")).status_code == 400
    assert (await ann.get("/api/usage/history?metric=x")).status_code == 400
    assert (await world.anonymous.get("/api/usage/history")).status_code == 401


@pytest.mark.parametrize("seed", range(3))
async def test_the_days_add_up_to_what_happened(world: World, hands: Hands, seed: int) -> None:
    """A random life of 20 days: every day's total is what was stored when it ended."""
    random = Random(seed)
    hands.at = NOON
    ann = await world.bootstrap()
    org, team = await world.company()
    stranger = await world.person(org, team)
    await begin_long_ago(world)
    kept = dict[str, int]()
    totals, tokens = dict[str, tuple[int, int]](), Counter[str]()
    for _ in range(20):
        for _ in range(random.randrange(4)):
            if kept and random.random() < 0.4:
                id = random.choice(sorted(kept))
                assert (await ann.delete(f"/api/repo-obj/{id}")).status_code in (200, 204)
                await ann.delete("/api/trash")
                del kept[id]
            else:
                size = random.randrange(1, 5000)
                kept[(await put(ann, f"{random.random()}.bin", b"x" * size))["id"]] = size
            if random.random() < 0.3:
                amount = random.randrange(1000)
                await spend(world, ann, amount)
                tokens[clock.stamp()[:10]] += amount
            if random.random() < 0.3:
                await put(stranger, f"{random.random()}.bin", b"y" * 77)
        totals[clock.stamp()[:10]] = sum(kept.values()), len(kept)
        hands.forward(clock.DAY)
    hands.forward(-clock.DAY)
    for place, metric in enumerate(("storage.bytes", "storage.objects")):
        days = (await history(ann, metric, 40))["days"]
        assert len(days) == 40
        assert {day["day"]: day["total"] for day in days[20:]} == {day: both[place] for day, both in totals.items()}
        assert all(day["total"] == 0 for day in days[:20])
        assert sum(day["amount"] for day in days) == days[-1]["total"]
    days = (await history(ann, "ai.tokens.total", 40))["days"]
    assert {day["day"]: day["amount"] for day in days if day["amount"]} == {day: n for day, n in tokens.items() if n}


async def test_the_history_of_the_tenant_is_that_of_all_its_companies(world: World, hands: Hands) -> None:
    hands.at = NOON
    ann = await world.bootstrap()
    others = [await world.person(*await world.company()) for _ in range(3)]
    await begin_long_ago(world)
    async with world.db.maintenance(system()) as tx:
        for dimension, window in ((Dimension.TOKENS, Window.MONTH), (Dimension.BYTES, Window.LIFETIME)):
            await quota.set_limit(tx, Level.TENANT, "", "", QuotaDraft(dimension, 1000, window))
    for day in range(3):
        for number, caller in enumerate((ann, *others)):
            await spend(world, caller, 10 + number)
            await put(caller, f"{day}.bin", b"x" * (20 + number))
        hands.forward(clock.DAY)
    hands.forward(-clock.DAY)
    traffic = Traffic()
    for caller in others:
        traffic.add(caller.org.id, caller.team.id, 5, 7)
    await quota.save_traffic(world.db, traffic)
    tokens, stored = await history(ann, "ai.tokens.total"), await history(ann, "storage.bytes")
    assert [item["level"] for item in (tokens, stored)] == ["tenant", "tenant"]
    assert [day["amount"] for day in tokens["days"][-3:]] == [46, 46, 46]
    assert [day["total"] for day in stored["days"][-3:]] == [86, 172, 258]
    received = await world.db.one(
        int, "SELECT CAST(SUM(received) AS BIGINT) FROM quota_traffic_days WHERE level = 'tenant'"
    )
    assert received == 15
    assert "quota.tenant" not in await broken(world)


async def test_a_month_counts_until_it_ends(world: World, hands: Hands) -> None:
    hands.at = NOON - 3 * clock.DAY
    ann = await world.bootstrap()
    await begin_long_ago(world)
    await ann.post("/api/quota", {"dimension": "ai.tokens.total", "limit": 1000, "window": "month"})
    for amount in (100, 200, 300, 50, 60):
        await spend(world, ann, amount)
        hands.forward(clock.DAY)
    shown = await history(ann, "ai.tokens.total", 6)
    assert (shown["level"], shown["limit"], shown["window"]) == ("team", 1000, "month")
    assert [(day["amount"], day["total"]) for day in shown["days"]] == [
        (100, 100), (200, 300), (300, 600), (50, 650), (60, 60), (0, 60)
    ]  # fmt: skip
    assert (await history(ann, "ai.tokens.total", 3))["days"][0]["total"] == 650, "the window began before"
    await ann.post("/api/quota", {"dimension": "ai.tokens.total", "limit": 1000, "window": "lifetime"})
    assert [day["total"] for day in (await history(ann, "ai.tokens.total", 3))["days"]] == [650, 710, 710]
    await ann.post("/api/quota", {"dimension": "ai.tokens.total", "limit": 1000, "window": "day"})
    shown = await history(ann, "ai.tokens.total", 3)
    assert [day["total"] for day in shown["days"]] == [50, 60, 0]
    assert shown["forecast"] is None


async def test_the_forecast_of_storage(world: World, hands: Hands) -> None:
    hands.at = NOON
    ann = await world.bootstrap()
    await ann.post("/api/quota", {"dimension": "storage.bytes", "limit": 2000, "window": "lifetime"})
    await begin_long_ago(world)
    for day in range(10):
        await put(ann, f"{day}.bin", b"x" * 100)
        hands.forward(clock.DAY)
    shown = await history(ann, "storage.bytes")
    assert shown["forecast"]["outlook"] == "not_within_year", "most of the last 30 days had none"
    await run_sql(world, "UPDATE quota_history SET since = '2024-02-29'")
    shown = await history(ann, "storage.bytes")
    assert shown["forecast"] == {"outlook": "on_day", "per_day": 100.0, "reached_on": "2024-03-20"}
    assert shown["days"][0]["day"] == "2024-02-29", "of earlier days nothing is known"
    await ann.post("/api/quota", {"dimension": "storage.bytes", "limit": 500, "window": "lifetime"})
    assert (await history(ann, "storage.bytes"))["forecast"]["outlook"] == "reached"


async def test_the_level_is_that_of_the_usage(world: World, hands: Hands) -> None:
    hands.at = NOON
    ann = await world.bootstrap()
    other = await world.join(ann, await world.team(ann.org))
    await put(ann, "a.bin", b"x" * 100)
    await put(other, "b.bin", b"x" * 11)
    shown = await history(other, "storage.bytes", 1)
    assert (shown["level"], shown["days"][0]["total"]) == ("org", 111)
    await other.post("/api/quota", {"dimension": "storage.bytes", "limit": 2000, "window": "lifetime"})
    shown = await history(other, "storage.bytes", 1)
    assert (shown["level"], shown["days"][0]["total"]) == ("team", 11)


async def test_traffic_is_what_the_team_sent_and_got(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    stranger = await world.person(org, team)
    bucket = await InProcessBucket.of(ann)
    await quota.save_traffic(world.db, world.app.traffic)
    await run_sql(world, "DELETE FROM quota_traffic_days")

    file = await put(ann, "a.bin", b"x" * 5000)
    got = len((await ann.get(f"/api/repo-obj/{file['id']}")).content)
    answer = await bucket("PUT", "b.bin", "", b"y" * 700)
    got += len(answer.content) + len((await bucket("GET", "b.bin")).content)
    await put(stranger, "c.bin", b"z" * 9000)
    refused = await ann.get("/api/usage?x=1")
    assert refused.status_code == 400
    await world.client.head(f"/api/repo-obj/{file['id']}", headers={"authorization": f"Bearer {ann.token}"})
    await quota.save_traffic(world.db, world.app.traffic)
    received = (await history(ann, "traffic.received"))["days"][-1]["amount"]
    assert received == 5700
    sent = (await history(ann, "traffic.sent"))["days"][-1]["amount"]
    put_answer = sent - got - len(refused.content)
    assert 0 < put_answer < 2000, "what remains is the answer to the upload"


async def test_what_visitors_fetch_is_traffic_of_the_team_that_owns_it(world: World) -> None:
    """Visitors of public links and the elements of a page send no credential."""
    ann = await world.bootstrap()
    bob = await world.person(ann.org, await world.team(ann.org))
    file = await put(ann, "a.txt", b"x" * 5000, content_type="text/plain")
    await share(ann, file["id"], bob, capability="manage")
    link = (await bob.post(f"/api/repo-obj/{file['id']}/links", {"password": "printed on paper"})).json()
    path = "/s/" + str(link["url"]).rpartition("/")[2]
    media = (await ann.get(f"/api/repo-obj/{file['id']}/address")).json()["address"]
    zipped = (await ann.post("/api/repo-zip/list", {"ids": [file["id"]]})).json()["list"]
    world.app.traffic.take()

    form = "password=printed+on+paper"
    cookie = (await world.client.post(path, content=form)).headers["set-cookie"].partition(";")[0]
    (counted,) = world.app.traffic.take()
    assert (counted.team_id, counted.received, counted.sent) == (ann.team.id, len(form), 0)

    proof = {"cookie": cookie}
    answers = [
        await world.anonymous.get(address, headers=headers)
        for address, headers in (
            (path, {}), (path, proof), (f"{path}/content", proof), (f"{path}/content", {**proof, "range": "bytes=9-99"}),
            (f"{path}/content", {}), (media, {}),
        )
    ]  # fmt: skip
    assert [answer.status_code for answer in answers] == [200, 200, 200, 206, 403, 200]
    await world.client.head(f"{path}/content", headers=proof)
    assert (await world.anonymous.get("/s/" + "x" * 24)).status_code == 404
    sent = sum(len(answer.content) for answer in answers)
    assert world.app.traffic.take() == [TeamTraffic(ann.org.id, ann.team.id, 0, sent)]

    form = f"list={zipped}"
    answer = await world.client.post("/api/repo-zip/form", content=form)
    assert answer.status_code == 200
    assert world.app.traffic.take() == [TeamTraffic(ann.org.id, ann.team.id, len(form), len(answer.content))]


async def test_traffic_of_several_processes_adds_up(world: World) -> None:
    """Counters that are saved at the same time, as the processes of a server do, lose nothing."""
    ann = await world.bootstrap()
    other = await world.team(ann.org)
    processes = [Traffic() for _ in range(6)]
    for round in range(5):
        for process in processes:
            process.add(ann.org.id, ann.team.id, 10, 1)
            process.add(ann.org.id, other.id, 3, round)
        await asyncio.gather(*(quota.save_traffic(world.db, process) for process in processes))
    rows = await world.db.all(
        TeamTraffic, "SELECT level, subject, received, sent FROM quota_traffic_days WHERE subject IN (:org, :a, :b)",
        org=ann.org.id, a=ann.team.id, b=other.id,
    )  # fmt: skip
    assert {row.team_id: (row.received, row.sent) for row in rows} == {
        ann.org.id: (390, 90), ann.team.id: (300, 30), other.id: (90, 60)
    }  # fmt: skip


async def test_traffic_that_could_not_be_saved_is_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = await world.bootstrap()
    traffic = Traffic()
    traffic.add(ann.org.id, ann.team.id, 10, 20)
    with monkeypatch.context() as broken:
        broken.setattr("teamspace.quota.store.add_traffic", _fail)
        with pytest.raises(ValueError, match="disk"):
            await quota.save_traffic(world.db, traffic)
    traffic.add(ann.org.id, ann.team.id, 1, 2)
    assert traffic.take() == [TeamTraffic(ann.org.id, ann.team.id, 11, 22)]


async def _fail(*_: object) -> None:
    raise ValueError("disk full")


async def test_a_read_writes_nothing(world: World) -> None:
    ann = await world.bootstrap()
    await quota.save_traffic(world.db, world.app.traffic)
    before = await world.db.all(int, "SELECT CAST(SUM(sent) AS BIGINT) FROM quota_traffic_days")
    for _ in range(3):
        await ann.get("/api/usage")
    assert await world.db.all(int, "SELECT CAST(SUM(sent) AS BIGINT) FROM quota_traffic_days") == before


async def test_old_days_are_deleted(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    await put(ann, "a.bin", b"x" * 100)
    await spend(world, ann, 5)
    world.app.traffic.add(ann.org.id, ann.team.id, 10, 20)
    await quota.save_traffic(world.db, world.app.traffic)
    tables = ("quota_stored_days", "quota_traffic_days", "quota_used WHERE per = 'day'")
    for days, kept in ((399, True), (402, False)):
        hands.at = clock.seconds(clock.stamp()) + (days if kept else days - 399) * clock.DAY
        await quota.tidy(world.db)
        for table in tables:
            rows = await world.db.all(str, f"SELECT subject FROM {table}")
            assert bool(rows) is kept, table
