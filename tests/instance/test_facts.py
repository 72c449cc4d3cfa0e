"""What the instance tells about itself: a little to anyone, everything to operators only."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from teamspace import __version__
from teamspace.core import clock, pools
from teamspace.core.errors import Overloaded
from teamspace.core.messages import catalogs
from teamspace.core.principal import system
from teamspace.instance.domain import facts, readiness
from teamspace.settings import Settings
from teamspace.tenancy.schemas import OrgRole, Role
from tests.identity.help import refusal
from tests.support.world import Caller, World
from tests.support.world import world as open_world

NOT_READY = (503, "not_ready")
HOST_TOKEN = "the-token-of-whoever-hosts-this"
TABLES = {"users": "users", "teams": "teams", "orgs": "orgs", "notes": "notes", "audit_events": "audit"}


async def status(operator: Caller) -> dict[str, Any]:
    answer = await operator.get("/api/admin/status")
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


# For anyone


async def test_health_tells_only_that_the_server_runs(world: World) -> None:
    answer = await world.anonymous.get("/health")
    assert (answer.status_code, answer.json()) == (200, {"ok": True, "multitenant": True})


async def test_a_working_server_is_ready(world: World) -> None:
    answer = await world.anonymous.get("/ready")
    assert (answer.status_code, answer.json()) == (200, {"ready": True})


async def test_a_stopping_server_is_not_ready(world: World) -> None:
    assert (await world.anonymous.get("/ready")).status_code == 200
    world.app.stopping.begin()
    assert refusal(await world.anonymous.get("/ready")) == NOT_READY
    assert (await world.anonymous.get("/health")).status_code == 200, "it is alive"


async def test_a_server_without_its_blob_store_is_not_ready(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def unavailable() -> None:
        raise Overloaded("storage.bucket_unreachable")

    monkeypatch.setattr(world.app.files, "check", unavailable)
    answer = await world.anonymous.get("/ready")
    assert refusal(answer) == NOT_READY
    assert answer.json()["detail"] == "The blob store does not respond."


async def test_a_server_without_its_database_is_not_ready(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(*_: Any) -> None:
        await asyncio.sleep(60)

    async def without_thread(check: Callable[[], None]) -> None:
        """On a busy machine a thread takes longer than the timeout."""
        check()

    monkeypatch.setattr(readiness, "_TIMEOUT_SECONDS", 0.05)
    monkeypatch.setattr(pools.UPKEEP, "run", without_thread)
    monkeypatch.setattr(world.db, "_fetch", silent)
    answer = await world.anonymous.get("/ready")
    assert refusal(answer) == NOT_READY
    assert answer.json()["detail"] == "The database does not respond."


@pytest.mark.both_databases
async def test_concurrent_readiness_checks_probe_the_store_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = 0

    def check() -> None:
        nonlocal checks
        checks += 1

    monkeypatch.setattr(world.app.files, "check", check)
    answers = await asyncio.gather(*(world.anonymous.get("/ready") for _ in range(20)))
    assert ({answer.status_code for answer in answers}, checks) == ({200}, 1)


async def test_a_server_with_a_newer_database_schema_only_reads(world: World) -> None:
    ann = await world.bootstrap()
    note = (await ann.post("/api/notes", {"title": "Before"})).json()
    async with world.db.maintenance(system()) as tx:
        await tx.run("INSERT INTO migrations VALUES (9999, '9999_later.sql', '', '')")
    await world.db.watch_schema()
    assert refusal(await ann.post("/api/notes", {"title": "After"})) == (503, "overloaded")
    assert (await ann.get(f"/api/notes/{note['id']}")).status_code == 200
    assert refusal(await world.anonymous.get("/ready")) == NOT_READY
    await asyncio.wait_for(world.app.runner.run(), 10)  # it ends by itself


async def test_the_public_configuration(world: World) -> None:
    locales = sorted(catalogs())
    expected = {
        "home": "console", "multitenant": True, "bootstrapped": False, "bootstrap_code": False, "trash_days": 30, "stay_days": 30,
        "localization": {"default_locale": "en", "available_locales": locales, "switching": True, "drafts": True},
    }  # fmt: skip
    assert (await world.anonymous.get("/api/config")).json() == expected
    await world.bootstrap()
    assert (await world.anonymous.get("/api/config")).json() == expected | {"bootstrapped": True}


# For operators


async def test_the_status_shows_the_setup_of_the_instance(world: World) -> None:
    ann = await world.bootstrap()
    shown = await status(ann)
    assert set(shown) == {
        "version", "kdf", "tls", "multitenant", "hosted", "suspended", "secrets_at_rest", "database", "schema",
        "started_at", "counts", "warnings",
    }  # fmt: skip
    assert (shown["version"], shown["kdf"], shown["database"]) == (__version__, "argon2id", world.db.dialect.name)
    assert [shown[name] for name in ("tls", "multitenant", "hosted", "suspended")] == [False, True, False, False]
    assert shown["secrets_at_rest"] == {"sealed": True, "cipher": "AES-256-GCM", "key": "file"}
    assert shown["schema"] == await world.db.one(int, "SELECT MAX(number) FROM migrations")
    assert abs(clock.seconds(shown["started_at"]) - clock.now()) < 60
    assert set(shown["counts"]) == {
        "users", "teams", "orgs", "notes", "objects", "object_versions", "tokens", "audit_events", "tenants",
    }  # fmt: skip


async def test_the_counts_match_the_tables(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "_COUNTS_SECONDS", 0.0)
    ann = await world.bootstrap()
    org, team = await world.company()
    await world.person(org, team, Role.OWNER)
    revoked = await world.token(ann)
    for title in ("One", "Two", "Three"):
        await ann.post("/api/notes", {"title": title})
    await world.revoke(revoked)
    shown = (await status(ann))["counts"]
    rows = await world.counts()
    assert {name: shown[name] for name in TABLES} == {name: rows[table] for name, table in TABLES.items()}
    assert (shown["tokens"], rows["tokens"], shown["tenants"]) == (2, 3, 0), "revoked tokens are not counted"
    assert (shown["users"], shown["notes"]) == (2, 3)

    await ann.post("/api/notes", {"title": "Four"})
    assert (await status(ann))["counts"]["notes"] == 4


async def test_counts_are_cached(world: World) -> None:
    ann = await world.bootstrap()
    assert (await status(ann))["counts"]["notes"] == 0
    await ann.post("/api/notes", {"title": "One"})
    assert (await status(ann))["counts"]["notes"] == 0, "ten seconds have not passed"
    world.app.dependencies[facts.RowCounts]._until -= 10
    assert (await status(ann))["counts"]["notes"] == 1


async def test_the_status_of_a_hosted_instance(settings: Settings) -> None:
    hosted = msgspec.structs.replace(
        settings, provision_token=HOST_TOKEN, base_url="https://acme.example", secret_key="ab" * 32
    )
    async with open_world(hosted) as world:
        ann, host = await world.bootstrap(), Caller(world, HOST_TOKEN)
        assert (await host.post("/api/provision", {"username": "noor"})).status_code == 201
        await host.post("/api/instance/suspend")
        shown = await status(ann)
    assert [shown[name] for name in ("tls", "multitenant", "hosted", "suspended")] == [True, True, True, True]
    assert (shown["secrets_at_rest"]["key"], shown["counts"]["tenants"]) == ("setting", 1)


async def test_the_status_of_a_single_tenant_instance(settings: Settings) -> None:
    async with open_world(msgspec.structs.replace(settings, multitenant=False)) as world:
        ann = await world.bootstrap()
        for shown in (await status(ann), *[(await ann.get(path)).json() for path in ("/health", "/api/config")]):
            assert shown["multitenant"] is False


async def test_the_status_contains_no_secrets_or_names(world: World, tmp_path: Path) -> None:
    ann = await world.bootstrap()
    await world.company("Aurora Books")
    text = (await ann.get("/api/admin/status")).text
    for secret in ("Aurora", "aurora", "Workspace", ann.org.id, ann.username + '"', str(tmp_path), "postgresql://"):
        assert secret not in text


@pytest.mark.parametrize("path", ["/api/admin/status", "/api/metrics"])
async def test_only_operators_see_status_and_metrics(world: World, path: str) -> None:
    ann = await world.bootstrap()
    owner = await world.person(ann.org, ann.team, Role.OWNER, org_role=OrgRole.OWNER)
    assert refusal(await owner.get(path)) == (403, "forbidden")
    assert refusal(await world.anonymous.get(path)) == (401, "unauthenticated")
    narrow, wide = [await world.token(ann, scope=[scope]) for scope in ("settings:manage", "instance:manage")]
    assert refusal(await narrow.get(path)) == (403, "out_of_scope")
    assert (await wide.get(path)).status_code == 200
