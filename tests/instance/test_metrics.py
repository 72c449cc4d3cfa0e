"""Metrics: requests by declared route, as JSON and for Prometheus, of every process, without personal data."""

import asyncio
import bisect
import itertools
import json
import math
import re
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from teamspace import __version__, instance
from teamspace.core import http, metrics
from teamspace.core.metrics import BUCKETS, Metrics
from teamspace.core.routing import METHODS
from teamspace.settings import Settings
from tests.identity.help import Hands
from tests.support.world import Caller, World
from tests.support.world import world as open_world

PROMETHEUS = (
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
    "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
    "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
)
"""The Accept header of a current Prometheus server."""


async def figures(operator: Caller) -> dict[str, Any]:
    answer = await operator.get("/api/metrics")
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def counts_by_route(operator: Caller) -> dict[tuple[str, str], dict[str, int]]:
    """Return the number of responses by route and status."""
    return {(row["method"], row["route"]): row["by_status"] for row in (await figures(operator))["routes"]}


async def scrape(operator: Caller) -> str:
    answer = await operator.get("/api/metrics", headers={"accept": "text/plain"})
    assert answer.status_code == 200, answer.text
    return answer.text


def families(text: str) -> dict[str, Metric]:
    return {family.name: family for family in text_string_to_metric_families(text)}


async def test_who_leaves_a_stream_that_stays_open_made_no_error(world: World) -> None:
    ann = await world.bootstrap()
    assert (await ann.get("/api/events")).status_code == 200
    assert (await counts_by_route(ann))["GET", "/api/events"] == {"200": 1}


async def test_the_time_of_a_stream_that_stays_open_is_that_until_it_begins(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await world.bootstrap()
    ticks = itertools.count()  # begun, answered, ended
    monkeypatch.setattr(http, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    assert (await ann.get("/api/events")).status_code == 200
    assert next(ticks) == 3
    (row,) = [row for row in (await figures(ann))["routes"] if row["route"] == "/api/events"]
    assert row["mean_ms"] == 1000


# Formats


@pytest.mark.parametrize(
    "accept", ["", "*/*", "application/json", "text/html", "text/plain;q=0", "application/json, text/plain;q=0.5"]
)
async def test_metrics_are_json_by_default(world: World, accept: str) -> None:
    ann = await world.bootstrap()
    answer = await ann.get("/api/metrics", headers={"accept": accept})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    shown = answer.json()
    assert set(shown) == {"version", "started_at", "uptime_seconds", "audit_unsealed", "processes", "routes"}
    assert (shown["version"], shown["audit_unsealed"]) == (__version__, (await world.counts())["audit"])
    assert 0 <= shown["uptime_seconds"] < 60
    (process,) = shown["processes"].values()
    assert (process["teamspace_requests_underway"], process["teamspace_shed_share"]) == (1, 0)


@pytest.mark.parametrize(
    "accept",
    ["text/plain", "TEXT/PLAIN", "text/plain; version=0.0.4", "application/json;q=0.1, text/plain", PROMETHEUS],
)
async def test_prometheus_gets_its_text_format(world: World, accept: str) -> None:
    ann = await world.bootstrap()
    for _ in range(3):
        await ann.get("/api/whoami")
    answer = await ann.get("/api/metrics", headers={"accept": accept})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    read = families(answer.text)
    info, requests, seconds = (
        read[name] for name in ("teamspace_info", "teamspace_requests", "teamspace_request_seconds")
    )
    assert (info.samples[0].labels["version"], info.samples[0].value) == (__version__, 1)
    assert (requests.type, seconds.type) == ("counter", "histogram")
    (whoami,) = [sample for sample in requests.samples if sample.labels["route"] == "/api/whoami"]
    assert (whoami.name, whoami.value) == ("teamspace_requests_total", 3)
    assert (whoami.labels["method"], whoami.labels["status"]) == ("GET", "200")
    buckets = [
        (float(sample.labels["le"]), sample.value)
        for sample in seconds.samples
        if sample.name.endswith("_bucket") and sample.labels["route"] == "/api/whoami"
    ]
    assert [edge for edge, _ in buckets] == [*BUCKETS, float("inf")]
    assert [count for _, count in buckets] == sorted(count for _, count in buckets)
    assert buckets[-1][1] == 3
    assert {"process_cpu_seconds", "process_resident_memory_bytes", "teamspace_requests_underway"} <= set(read)


@pytest.mark.both_databases
async def test_both_formats_have_the_same_counts(world: World) -> None:
    ann = await world.bootstrap()
    await asyncio.gather(*(ann.get(path) for path in ("/api/whoami", "/api/notes", "/api/notes/x", "/nowhere")))
    as_json = await counts_by_route(ann)
    as_text: dict[tuple[str, str], dict[str, int]] = {}
    for sample in families(await scrape(ann))["teamspace_requests"].samples:
        row = as_text.setdefault((sample.labels["method"], sample.labels["route"]), {})
        row[sample.labels["status"]] = int(sample.value)
    assert as_text == as_json | {("GET", "/api/metrics"): {"200": 1}}


# What is counted


async def test_requests_are_counted_by_method_route_and_status(world: World) -> None:
    ann = await world.bootstrap()
    note = (await ann.post("/api/notes", {"title": "One"})).json()
    for _ in range(3):
        await ann.get(f"/api/notes/{note['id']}")
    await ann.get("/api/notes/nothing")
    await ann.post("/api/notes", {"title": ""})
    await world.anonymous.get("/api/notes")
    await ann("HEAD", "/api/notes")
    routes = await counts_by_route(ann)
    assert routes["GET", "/api/notes/:id"] == {"200": 3, "404": 1}
    assert routes["POST", "/api/notes"] == {"201": 1, "400": 1}
    assert (routes["GET", "/api/notes"], routes["HEAD", "/api/notes"]) == ({"401": 1}, {"200": 1})
    assert routes["POST", "/api/bootstrap"] == {"201": 1}
    rows = (await figures(ann))["routes"]
    assert [row["count"] for row in rows] == sorted((row["count"] for row in rows), reverse=True)
    for row in rows:
        assert row["count"] == sum(row["by_status"].values())
        assert 0 <= row["p50_ms"] <= row["p95_ms"] <= row["p99_ms"]
        assert row["mean_ms"] >= 0


async def test_only_declared_routes_are_labels(world: World) -> None:
    ann = await world.bootstrap()
    note = (await ann.post("/api/notes", {"title": "One", "tags": ["secret-tag"]})).json()
    paths = (
        f"/api/notes/{note['id']}", "/api/notes/made-up-id", "/api/notes?tag=secret-tag", "/made/up/path", "/api/made-up",
        "/api/orgs/made-up-ref", "/api/features/made-up-name", "/..%2fmade-up", "/api/notes/%ff", "/api/branding?logo=made-up",
        "/" + "made-up" * 200,
    )  # fmt: skip
    for path in paths:
        for method in ("GET", "PUT", "DELETE", "MADE-UP", "TRACE"):
            await ann(method, path, headers={"x-request-id": "made-up-request"})
    declared = {endpoint.route.path for endpoint in world.app.endpoints} | {"-"}
    text, shown = await scrape(ann), await figures(ann)
    for sample in families(text)["teamspace_requests"].samples:
        assert sample.labels["route"] in declared
        assert sample.labels["method"] in {*METHODS, "HEAD", "-"}
    assert {row["route"] for row in shown["routes"]} <= declared
    for form in (text, json.dumps(shown)):
        for raw in ("made-up", "MADE-UP", "made/up", "secret-tag", note["id"]):
            assert raw not in form, raw
    assert shown["routes"][0]["route"] == "-", "unknown paths are counted together"


async def test_metrics_name_no_tenants_or_people(world: World) -> None:
    ann = await world.bootstrap("the.operator")
    org, team = await world.company("Aurora Books")
    noor = await world.person(org, team, username="noor.haddad")
    for caller in (ann, noor):
        await caller.post("/api/notes", {"title": "Plan"})
        await caller.get("/api/whoami", headers={"user-agent": "made-up-agent"})
        await caller.get("/api/branding", headers={"host": "aurora.example"})
    for form in (await scrape(ann), json.dumps(await figures(ann))):
        for name in (
            "the.operator", "noor", "urora", "Workspace", "workspace", "General", "Plan", "made-up", "127.0.0.1",
            ann.user_id, noor.user_id, ann.org.id, org.id, team.id, ann.team.id, str(ann.token), str(noor.token),
        ):  # fmt: skip
            assert name not in form, name
        assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-7", form), "an id"


# Several processes


async def test_any_process_reports_for_all(settings: Settings, hands: Hands) -> None:
    async with open_world(settings) as one, open_world(settings) as other:
        other.app.metrics.process = "elsewhere:2"
        ann = await one.bootstrap()
        for world, times in ((one, 2), (other, 3)):
            for _ in range(times):
                await Caller(world, ann.token).get("/api/whoami")
        await instance.report(other.db, settings, other.app.metrics)
        shared = not settings.on_sqlite
        shown = await figures(ann)
        assert set(shown["processes"]) == {one.app.metrics.process} | ({"elsewhere:2"} if shared else set())
        (whoami,) = [row for row in shown["routes"] if row["route"] == "/api/whoami"]
        assert (whoami["count"], whoami["by_status"]) == ((5, {"200": 5}) if shared else (2, {"200": 2}))
        samples = families(await scrape(ann))["teamspace_requests"].samples
        by_process = {
            sample.labels.get("process"): sample.value for sample in samples if sample.labels["route"] == "/api/whoami"
        }
        assert by_process == ({one.app.metrics.process: 2, "elsewhere:2": 3} if shared else {None: 2})

        hands.forward(31)
        assert set((await figures(ann))["processes"]) == {one.app.metrics.process}, "silent processes are dropped"


@pytest.mark.both_databases
@pytest.mark.parametrize("processes", [2], indirect=True)
async def test_what_a_process_counted_stays_counted_when_it_ends(settings: Settings, hands: Hands) -> None:
    async with open_world(settings) as one, open_world(settings) as other:
        other.app.metrics.process = "elsewhere:2"
        ann = await one.bootstrap()
        began = (await figures(ann))["started_at"]

        async def ask_other(times: int) -> None:
            for _ in range(times):
                await Caller(other, ann.token).get("/api/whoami")
            await instance.report(other.db, settings, other.app.metrics)

        async def count() -> int:
            shown = await figures(ann)
            (whoami,) = [row for row in shown["routes"] if row["route"] == "/api/whoami"]
            assert (whoami["count"], shown["started_at"]) == (whoami["by_status"]["200"], began)
            return int(whoami["count"])

        await ask_other(3)
        for seconds in (0, 31, 300, 300, 300):
            hands.forward(seconds)
            assert await count() == 3
        await ask_other(1)
        assert await count() == 4, "it was only silent, and is not counted twice"
        hands.forward(301)
        assert await count() == 4

        other.app.metrics = Metrics()  # another process with the same id
        other.app.metrics.process = "elsewhere:2"
        await instance.report(other.db, settings, other.app.metrics)
        assert await count() == 4
        await instance.forget(other.db, settings)
        await instance.report(one.db, settings, one.app.metrics)
        rows = await one.db.all(str, "SELECT id FROM processes ORDER BY id")
        running = {one.app.metrics.process} | (set() if settings.on_sqlite else {"elsewhere:2", "ended"})
        assert set(rows) == running, "SQLite's processes start together, others may run elsewhere"


# Quantiles


@given(st.lists(st.floats(0, 40), min_size=1, max_size=60))
def test_a_quantile_is_in_the_bucket_of_the_true_one(durations: list[float]) -> None:
    measured = Metrics()
    for seconds in durations:
        measured.observe("GET", "/x", 200, seconds)
    (row,) = metrics.route_figures([measured.families()])
    ranked = sorted(durations)
    for share, shown in ((0.5, row.p50_ms), (0.95, row.p95_ms), (0.99, row.p99_ms)):
        true = ranked[math.ceil(len(ranked) * share) - 1]
        step = bisect.bisect_left(BUCKETS, true)
        lower = BUCKETS[step - 1] if step else 0.0
        upper = BUCKETS[step] if step < len(BUCKETS) else BUCKETS[-1]
        assert lower * 1000 - 0.01 <= shown <= upper * 1000 + 0.01
    assert row.count == len(durations)
    assert row.mean_ms == pytest.approx(sum(durations) / len(durations) * 1000, abs=0.01)
