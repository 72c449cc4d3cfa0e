"""Companies as operators manage them: created, changed, limited, suspended and resumed."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any

import httpx2
import msgspec
import pytest

from teamspace.core import clock
from teamspace.core.routing import PROVISION, PUBLIC, SUPERADMIN, Endpoint
from teamspace.settings import Settings
from teamspace.tenancy.schemas import Org, Role
from tests.identity.help import (
    OTHER_PASSWORD,
    Hands,
    broken,
    conflict,
    enrolled,
    is_alive,
    login,
    refusal,
    signed_in,
    trail,
)
from tests.support.world import PASSWORD, Caller, World
from tests.support.world import world as open_world

CONFLICT = (409, "conflict")
INVALID = (400, "invalid_request")
NOT_FOUND = (404, "not_found")
SUSPENDED = (403, "org_suspended")
CAPS = {
    "free": (100, 200_000, 2, 5 * 1024**3, 100_000),
    "pro": (2_000, 5_000_000, 4, 100 * 1024**3, 1_000_000),
    "business": (20_000, 50_000_000, 8, 1024**4, 10_000_000),
    "enterprise": (None, None, 32, None, None),
}
OPEN_WHILE_SUSPENDED = {
    "DELETE /api/executors/:id", "POST /api/workers/claim", "POST /api/workers/jobs/:id/heartbeat",
    "POST /api/workers/jobs/:id/complete", "POST /api/workers/jobs/:id/fail",
    "POST /api/activate", "POST /api/login", "POST /api/login/resume", "POST /api/logout", "POST /api/password", "POST /api/2fa/enable",
    "POST /api/2fa/recovery-codes", "DELETE /api/2fa", "DELETE /api/admin/users/:id/2fa", "DELETE /api/tokens/:id",
    "PATCH /api/admin/users/:id",
    "DELETE /api/sessions/:id", "DELETE /api/s3/credentials/:id", "POST /api/repo-obj/:id/presign",
    "DELETE /api/ai/chat/stream/:id",
    "POST /api/repo-zip", "POST /api/repo-zip/list", "POST /api/repo-zip/form", "DELETE /api/repo-obj/:id/links/:link",
    "DELETE /api/links/:id", "DELETE /api/org/links/:id",
    "GET /s/:token", "POST /s/:token", "GET /s/:token/content",
}  # fmt: skip
"""Signing in and out, revoking credentials and links, one's own password and second factor; a presigned URL and a zip are
reads; what runs can be stopped; a public link of the company is answered like one that does not exist."""


def draft(**more: Any) -> dict[str, Any]:
    return {"name": "Aurora Books", "owner": {"username": "noor", "password": PASSWORD}, **more}


async def create(operator: Caller, **more: Any) -> dict[str, Any]:
    answer = await operator.post("/api/orgs", draft(**more))
    assert answer.status_code == 201, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def create_owner(operator: Caller, **more: Any) -> Caller:
    """Create a company; return its owner with their first token."""
    shown = await create(operator, **more)
    return Caller(
        operator.world, shown["token"], user_id=shown["owner"]["id"], username=shown["owner"]["username"],
        org=msgspec.convert(shown["org"], Org),
    )  # fmt: skip


async def patch(operator: Caller, ref: str, **change: Any) -> dict[str, Any]:
    answer = await operator("PATCH", f"/api/orgs/{ref}", change)
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def limits(operator: Caller, ref: str) -> tuple[Any, ...]:
    """The company's limits, ordered by dimension."""
    company = (await operator.get(f"/api/orgs/{ref}")).json()
    return tuple(row["limit"] for row in company["quotas"])


def pointers(answer: httpx2.Response) -> list[str]:
    assert answer.status_code == 400, answer.text
    return [error["pointer"] for error in answer.json()["errors"]]


# Creating


async def test_a_company_is_created_with_a_team_and_an_owner(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    owner = {"username": "noor", "password": PASSWORD, "display_name": "Noor Haddad"}
    shown = await create(ann, owner=owner, team="Editorial", domain="Aurora.Example")
    org_id, now = shown["org"]["id"], clock.stamp()
    assert set(shown) == {"org", "team", "owner", "token"}
    assert shown["org"] == {
        "id": org_id, "slug": "aurora-books", "name": "Aurora Books", "plan": "free", "domain": "aurora.example",
        "created_at": now, "suspended_at": None, "suspended": False,
    }  # fmt: skip
    assert shown["team"] == shown["team"] | {"org_id": org_id, "slug": "editorial", "name": "Editorial"}
    assert shown["owner"] == {
        "id": shown["owner"]["id"], "username": "noor", "display_name": "Noor Haddad", "email": None, "locale": None, "time_zone": None,
        "operator": False, "created_at": now,
    }  # fmt: skip

    me = (await Caller(world, shown["token"]).get("/api/whoami")).json()
    assert (me["role"], me["org_role"], me["operator"]) == ("owner", "org_owner", False)
    assert (me["user"], me["team"], me["org"]) == (shown["owner"], shown["team"], shown["org"])
    assert (await login(world, "noor")).status_code == 200
    assert await broken(world) == []


async def test_an_owner_without_a_password_gets_an_activation_link_and_no_token(world: World) -> None:
    ann = await world.bootstrap()
    before = await world.counts()
    shown = await create(ann, owner={"username": "noor"})
    assert set(shown) == {"org", "team", "owner", "activation_url"}
    assert re.fullmatch(r"http://127\.0\.0\.1:8080/activate#ts_v_[0-9A-Za-z]{36}", shown["activation_url"])
    assert (await world.counts())["tokens"] == before["tokens"]
    assert refusal(await login(world, "noor")) == (401, "invalid_credentials")

    link = {"token": shown["activation_url"].split("#")[1], "password": OTHER_PASSWORD}
    answer = await world.anonymous.post("/api/activate", link)
    assert (answer.status_code, answer.json()["org"]["id"]) == (200, shown["org"]["id"])
    assert (await login(world, "noor", OTHER_PASSWORD)).status_code == 200


async def test_team_and_plan_have_defaults(world: World) -> None:
    ann = await world.bootstrap()
    shown = await create(ann)
    assert (shown["team"]["name"], shown["org"]["plan"], shown["org"]["domain"]) == ("General", "free", None)


async def test_an_explicit_slug_must_be_unique(world: World) -> None:
    ann = await world.bootstrap()
    body = draft(slug="aurora")
    assert (await ann.post("/api/orgs", body)).json()["org"]["slug"] == "aurora"
    before = await world.counts()
    for again in (body, draft(slug="aurora", name="Another", owner={"username": "somebody.else"})):
        assert refusal(await ann.post("/api/orgs", again)) == CONFLICT
    assert await world.counts() == before


async def test_a_derived_slug_is_made_unique(world: World) -> None:
    ann = await world.bootstrap()
    slugs = [(await create(ann, owner={"username": f"noor{number}"}))["org"]["slug"] for number in range(20)]
    assert slugs[:3] == ["aurora-books", "aurora-books-2", "aurora-books-3"]
    assert len(set(slugs)) == 20


async def test_any_name_has_a_valid_slug(world: World) -> None:
    ann = await world.bootstrap()
    like_an_id = "01a12345-0000-7000-8000-000000000000"
    for number, name in enumerate(("北方出版", "!", "x", "7", "Ä", like_an_id, "x" * 80, "-" * 60 + "Z", "🚀 " * 10)):
        org = (await create(ann, name=name, owner={"username": f"owner{number}"}))["org"]
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]{0,46}[a-z0-9]", org["slug"]), name
        assert org["slug"] != like_an_id
        assert (await ann.get(f"/api/orgs/{org['slug']}")).json()["name"] == name.strip()


async def test_a_name_is_normalised_and_trimmed(world: World) -> None:
    ann = await world.bootstrap()
    shown = await create(ann, name=f" {unicodedata.normalize('NFD', 'Bücher')} ", team=" Küche ")
    assert (shown["org"]["name"], shown["team"]["name"]) == ("Bücher", "Küche")


async def test_a_plan_sets_its_limits(world: World) -> None:
    ann = await world.bootstrap()
    for plan, (requests, tokens, concurrency, size, objects) in CAPS.items():
        org = (await create(ann, plan=plan, owner={"username": plan}))["org"]
        company = (await ann.get(f"/api/orgs/{org['id']}")).json()
        assert [(row["dimension"], row["limit"], row["window"], row["level"]) for row in company["quotas"]] == [
            ("ai.requests", requests, "day", "org"),
            ("ai.tokens.total", tokens, "month", "org"),
            ("ai.concurrency", concurrency, None, "org"),
            ("storage.bytes", size, "lifetime", "org"),
            ("storage.objects", objects, "lifetime", "org"),
        ]


INVALID_CHANGES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"slug": "A"}, "/slug"),
    ({"slug": "Aurora"}, "/slug"),
    ({"slug": "-aurora"}, "/slug"),
    ({"slug": "aurora-"}, "/slug"),
    ({"slug": "aurora books"}, "/slug"),
    ({"slug": "aurora/books"}, "/slug"),
    ({"slug": "x" * 49}, "/slug"),
    ({"slug": "01a12345-0000-7000-8000-000000000000"}, "/slug"),
    ({"plan": "gold"}, "/plan"),
    ({"plan": ""}, "/plan"),
    ({"plan": None}, "/plan"),
    ({"domain": ""}, "/domain"),
    ({"domain": "aurora.example:443"}, "/domain"),
    ({"domain": "https://aurora.example"}, "/domain"),
    ({"domain": "aurora.example/books"}, "/domain"),
    ({"domain": "ann@aurora.example"}, "/domain"),
    ({"domain": "10.0.0.1"}, "/domain"),
    ({"domain": "::1"}, "/domain"),
    ({"domain": "[::1]"}, "/domain"),
    ({"domain": "*.aurora.example"}, "/domain"),
    ({"domain": "aurora..example"}, "/domain"),
    ({"domain": "aurora example"}, "/domain"),
    ({"domain": "-aurora.example"}, "/domain"),
    ({"domain": "xn--a.example"}, "/domain"),
    ({"domain": ("x" * 63 + ".") * 4 + "example"}, "/domain"),
    ({"domain": "x" * 64 + ".example"}, "/domain"),
    ({"name": ""}, "/name"),
    ({"name": "x" * 81}, "/name"),
    ({"name": "a\u202eb"}, "/name"),
    ({"team": " "}, "/team"),
    ({"team": "x" * 81}, "/team"),
    ({"owner": {"username": "a"}}, "/owner/username"),
    ({"owner": {"username": "noor haddad"}}, "/owner/username"),
    ({"owner": {"username": "noor", "password": "short"}}, "/owner/password"),
    ({"owner": {"username": "noor", "password": "password1234"}}, "/owner/password"),
    ({"owner": {"username": "noor", "password": "Aurora Books"}}, "/owner/password"),
    ({"owner": {"username": "noor", "display_name": "a\nb"}}, "/owner/display_name"),
    ({"slug": ""}, "/slug"),
)
"""A change to the draft, and the field that becomes invalid."""


async def test_an_invalid_company_is_refused_with_a_pointer(world: World) -> None:
    ann = await world.bootstrap()
    before = await world.counts()
    refused = [(change, *pointers(await ann.post("/api/orgs", draft(**change)))) for change, _ in INVALID_CHANGES]
    assert refused == list(INVALID_CHANGES)
    assert await world.counts() == before


async def test_missing_and_unknown_fields_are_refused(world: World) -> None:
    ann = await world.bootstrap()
    before = await world.counts()
    bodies: tuple[dict[str, Any], ...] = (
        {}, {"name": "Aurora"}, {"owner": {"username": "noor"}}, draft(owner={}), draft(owner=None), draft(id="x"),
        draft(suspended=True), draft(owner={"username": "noor", "operator": True}),
    )  # fmt: skip
    for body in bodies:
        assert refusal(await ann.post("/api/orgs", body)) == INVALID, body
    assert await world.counts() == before


async def test_a_conflict_names_the_field_and_creates_nothing(world: World) -> None:
    ann = await world.bootstrap()
    await create(ann, slug="aurora", domain="aurora.example")
    before = await world.counts()
    free = {"owner": {"username": "ines"}}
    for body, pointer in (
        (draft(), "/owner/username"),
        (draft(owner={"username": "NOOR"}), "/owner/username"),
        (draft(owner={"username": "Ann"}), "/owner/username"),
        (draft(**free, domain="aurora.example"), "/domain"),
        (draft(**free, domain="AURORA.EXAMPLE."), "/domain"),
        (draft(**free, slug="aurora"), "/slug"),
    ):
        assert conflict(await ann.post("/api/orgs", body)) == pointer, body
    assert await world.counts() == before


async def test_a_repeated_idempotency_key_creates_one_company(world: World) -> None:
    ann = await world.bootstrap()
    key = {"idempotency-key": "aurora-1"}
    first, second = [await ann.post("/api/orgs", draft(), headers=key) for _ in range(2)]
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert (await world.counts())["orgs"] == 2
    other = await ann.post("/api/orgs", draft(name="Borealis"), headers=key)
    assert refusal(other) == (409, "idempotency_conflict")


async def test_a_single_tenant_instance_cannot_have_a_second_company(settings: Settings) -> None:
    async with open_world(msgspec.structs.replace(settings, multitenant=False)) as world:
        ann = await world.bootstrap()
        before = await world.counts()
        for body in (draft(), draft(slug="!")):
            assert refusal(await ann.post("/api/orgs", body)) == (409, "single_tenant")
        assert await world.counts() == before
        assert (await patch(ann, ann.org.id, name="The One"))["name"] == "The One"


# Hostnames


async def test_a_hostname_is_normalised_and_unique(world: World) -> None:
    ann = await world.bootstrap()
    await create(ann)
    for domain, expected in (
        ("Work.Aurora.EXAMPLE", "work.aurora.example"),
        (" aurora.example. ", "aurora.example"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("BÜCHER.example", "xn--bcher-kva.example"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("北方。example", "xn--djro74b.example"),
        ("intranet", "intranet"),
        ("4you.example", "4you.example"),
        ("aurora.example。", "aurora.example"),
    ):
        assert (await patch(ann, "aurora-books", domain=domain))["domain"] == expected, domain
        for same in (domain, expected):
            assert conflict(await ann("PATCH", f"/api/orgs/{ann.org.slug}", {"domain": same})) == "/domain"


async def test_the_hostname_of_the_instance_is_refused(settings: Settings) -> None:
    own = msgspec.structs.replace(settings, base_url="https://Work.Example.com:8443")
    async with open_world(own) as world:
        ann = await world.bootstrap()
        before = await world.counts()
        for domain in ("work.example.com", "WORK.example.com."):
            assert conflict(await ann.post("/api/orgs", draft(domain=domain))) == "/domain"
            assert conflict(await ann("PATCH", f"/api/orgs/{ann.org.id}", {"domain": domain})) == "/domain"
        assert await world.counts() == before
        assert (await create(ann, domain="aurora.work.example.com"))["org"]["domain"] == "aurora.work.example.com"


@pytest.mark.parametrize(
    ("base_url", "domain"),
    [
        ("https://work.example.com", "work.example.com。"),
        ("https://work.example.com", "ｗork.example.com"),
        ("https://bücher.example", "bücher.example"),
        ("https://bücher.example", "xn--bcher-kva.example"),
        ("https://xn--bcher-kva.example", "Bücher.example"),
    ],
)
async def test_the_hostname_of_the_instance_is_refused_in_every_form(
    settings: Settings, base_url: str, domain: str
) -> None:
    async with open_world(msgspec.structs.replace(settings, base_url=base_url)) as world:
        ann = await world.bootstrap()
        assert refusal(await ann("PATCH", f"/api/orgs/{ann.org.id}", {"domain": domain})) == CONFLICT


async def test_a_hostname_that_browsers_read_as_an_address_is_refused(world: World) -> None:
    """Browsers read a name whose last label is a number as an IPv4 address."""
    ann = await world.bootstrap()
    for domain in ("127.1", "10.0.1", "2130706433", "0x7f000001", "0x7f.1", "1.2.3.4.5", "aurora.123"):
        assert pointers(await ann("PATCH", f"/api/orgs/{ann.org.id}", {"domain": domain})) == ["/domain"], domain


# Reading


async def test_a_company_is_found_by_id_or_slug_on_every_path(world: World) -> None:
    ann = await world.bootstrap()
    org = (await create(ann))["org"]
    limit = {"dimension": "ai.requests", "limit": 5, "window": "day"}
    calls: tuple[tuple[str, str, Any], ...] = (
        ("GET", "", None), ("PATCH", "", {"name": "Aurora"}), ("POST", "/suspend", {}), ("POST", "/resume", {}),
        ("POST", "/quota", limit),
    )  # fmt: skip
    for method, path, body in calls:
        by_id, by_slug = [
            (await ann(method, f"/api/orgs/{ref}{path}", body)).json() for ref in (org["id"], "aurora-books")
        ]
        assert by_id.get("id") == by_slug.get("id") == (None if path == "/quota" else org["id"])
        for ref in ("nothing", "Aurora-Books", org["id"].upper(), "%20", "aurora-books%20", "%27"):
            assert refusal(await ann(method, f"/api/orgs/{ref}{path}", body)) == NOT_FOUND, (path, ref)


async def test_a_company_is_shown_with_its_teams_and_quotas(world: World) -> None:
    ann = await world.bootstrap()
    noor = await create_owner(ann)
    await noor.post("/api/org/teams", {"name": "Rights"})
    company = (await ann.get("/api/orgs/aurora-books")).json()
    assert set(company) == {*msgspec.to_builtins(noor.org), "teams", "quotas"}
    assert [team["name"] for team in company["teams"]] == ["Rights", "General"]
    assert {team["org_id"] for team in company["teams"]} == {noor.org.id}
    assert [row["limit"] for row in company["quotas"]] == list(CAPS["free"])


async def test_companies_are_listed_newest_first_in_pages(world: World) -> None:
    ann = await world.bootstrap()
    for number in range(5):
        await world.company(f"Company {number}")
    seen: list[str] = []
    cursor, pages = "", 0
    while True:
        page = (await ann.get(f"/api/orgs?limit=4{cursor}")).json()
        assert set(page) == {"items", "next_cursor"}
        seen += [org["name"] for org in page["items"]]
        pages += 1
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == [*(f"Company {number}" for number in (4, 3, 2, 1, 0)), "Workspace"]
    assert pages == 2
    assert set(page["items"][0]) == set(msgspec.to_builtins(ann.org))


# Changing


async def test_absent_fields_stay_and_null_clears_the_hostname(world: World) -> None:
    ann = await world.bootstrap()
    org = (await create(ann, domain="aurora.example", plan="pro"))["org"]
    shown = await patch(ann, org["slug"], name=" Borealis ")
    assert shown == shown | org | {"name": "Borealis"}
    assert await patch(ann, org["slug"]) == shown
    assert await patch(ann, org["slug"], domain=None) == shown | {"domain": None}
    assert await patch(ann, org["slug"], domain=None) == shown | {"domain": None}
    assert (await patch(ann, ann.org.id, domain="aurora.example"))["domain"] == "aurora.example", (
        "it is available again"
    )
    assert (await patch(ann, org["slug"], domain="Borealis.Example"))["domain"] == "borealis.example"
    assert (await patch(ann, org["slug"], domain="borealis.example"))["domain"] == "borealis.example"


async def test_a_refused_change_changes_nothing(world: World) -> None:
    ann = await world.bootstrap()
    await create(ann, owner={"username": "ines"}, slug="borealis", domain="borealis.example")
    org = (await create(ann, domain="aurora.example"))["org"]
    before, rows = (await ann.get(f"/api/orgs/{org['id']}")).json(), await world.counts()
    wrong: tuple[tuple[dict[str, Any], str], ...] = (
        ({"name": ""}, "/name"), ({"name": None}, "/name"), ({"plan": "gold"}, "/plan"), ({"plan": None}, "/plan"),
        ({"domain": "aurora.example:80"}, "/domain"), ({"domain": "127.0.0.1"}, "/domain"),
        ({"name": "Fine", "domain": "a/b"}, "/domain"), ({"plan": "pro", "name": "x" * 81}, "/name"),
    )  # fmt: skip
    for change, pointer in wrong:
        assert pointers(await ann("PATCH", "/api/orgs/aurora-books", change)) == [pointer], change
    for field in ("slug", "id", "suspended", "suspended_at", "teams", "quotas", "owner"):
        assert refusal(await ann("PATCH", "/api/orgs/aurora-books", {field: "x"})) == INVALID
    taken = {"name": "Fine", "plan": "pro", "domain": "borealis.example"}
    assert refusal(await ann("PATCH", "/api/orgs/aurora-books", taken)) == CONFLICT
    assert (await ann.get(f"/api/orgs/{org['id']}")).json() == before
    assert await world.counts() == rows


async def test_changing_the_plan_changes_the_limits(world: World) -> None:
    ann = await world.bootstrap()
    await create(ann)
    for plan in ("enterprise", "business", "pro", "free"):
        shown = await patch(ann, "aurora-books", plan=plan)
        assert shown["plan"] == plan
        assert tuple(row["limit"] for row in shown["quotas"]) == CAPS[plan]
        assert await limits(ann, "aurora-books") == CAPS[plan]


async def test_a_custom_limit_is_kept_until_the_plan_changes(world: World) -> None:
    ann = await world.bootstrap()
    await create(ann)
    limit = {"dimension": "ai.requests", "limit": 7, "window": "hour"}
    answer = await ann.post("/api/orgs/aurora-books/quota", limit)
    assert (answer.status_code, answer.json()["level"], answer.json()["limit"]) == (200, "org", 7)
    for change in ({"name": "Aurora"}, {"plan": "free"}, {"plan": "free", "domain": "aurora.example"}):
        shown = await patch(ann, "aurora-books", **change)
        assert [(row["limit"], row["window"]) for row in shown["quotas"]] == [
            (7, "hour"),
            (200_000, "month"),
            (2, None),
            (5 * 1024**3, "lifetime"),
            (100_000, "lifetime"),
        ]
    shown = await patch(ann, "aurora-books", plan="pro")
    assert [(row["limit"], row["window"]) for row in shown["quotas"]] == [
        (2_000, "day"), (5_000_000, "month"), (4, None), (100 * 1024**3, "lifetime"), (1_000_000, "lifetime")
    ]  # fmt: skip


async def test_a_plan_affects_only_its_company(world: World) -> None:
    ann = await world.bootstrap()
    await create(ann)
    await create(ann, name="Borealis", owner={"username": "ines"})
    await patch(ann, "aurora-books", plan="business")
    assert (await limits(ann, "aurora-books"), await limits(ann, "borealis")) == (CAPS["business"], CAPS["free"])


async def test_actions_of_operators_are_in_the_audit_log_of_the_company(world: World) -> None:
    ann = await world.bootstrap()
    org = (await create(ann))["org"]
    await patch(ann, org["id"], name="Aurora", plan="free")
    for path in ("suspend", "resume"):
        await ann.post(f"/api/orgs/{org['id']}/{path}")
    rows = [entry for entry in await trail(world) if entry.target == org["id"]]
    assert [entry.action for entry in rows] == ["org.create", "org.update", "org.suspend", "org.resume"]
    assert {(entry.org_id, entry.actor_id) for entry in rows} == {(org["id"], ann.user_id)}
    assert rows[1].detail == '{"name":"Aurora"}'


# Suspension


async def test_suspending_and_resuming_can_be_repeated(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    org = (await create(ann))["org"]
    assert (await ann.post("/api/orgs/aurora-books/resume")).json() == org
    since = clock.stamp()
    for _ in range(2):
        answer = await ann.post("/api/orgs/aurora-books/suspend")
        assert (answer.status_code, answer.json()) == (200, org | {"suspended": True, "suspended_at": since})
        hands.forward(60)
    assert (await ann.get("/api/orgs/aurora-books")).json()["suspended_at"] == since
    for _ in range(2):
        assert (await ann.post("/api/orgs/aurora-books/resume")).json() == org
    assert (await ann.post("/api/orgs/aurora-books/suspend")).json()["suspended_at"] == clock.stamp()


async def test_a_suspended_company_can_be_read_but_not_changed_until_resumed(world: World) -> None:
    ann = await world.bootstrap()
    noor = await create_owner(ann)
    note = (await noor.post("/api/notes", {"title": "Before", "visibility": "team"})).json()
    await ann.post("/api/orgs/aurora-books/suspend")
    me = (await noor.get("/api/whoami")).json()
    assert me["org"]["suspended"] is True
    for path in (
        f"/api/notes/{note['id']}", "/api/notes", "/api/notes?scope=org", "/api/members", "/api/members?scope=org",
        "/api/org", "/api/org/teams", "/api/org/branding", "/api/usage", "/api/features", "/api/tokens",
        "/api/branding", "/api/2fa/recovery-codes", "/api/sessions",
    ):  # fmt: skip
        assert (await noor.get(path)).status_code == 200, path
    path = f"/api/notes/{note['id']}"
    before = await world.counts()
    for answer in (
        await noor.post("/api/notes", {"title": "After"}),
        await noor.put(path, {"title": "After"}),
        await noor.delete(path),
        await noor.post("/api/profile", {"display_name": "After"}),
        await noor.post("/api/tokens", {"name": "after"}),
        await noor.post("/api/org/teams", {"name": "After"}),
        await noor.put("/api/org/branding", {"title": "After"}),
        await noor.post("/api/features/chat", {"enabled": False}),
    ):
        assert refusal(answer) == SUSPENDED
    assert await world.counts() == before

    await ann.post("/api/orgs/aurora-books/resume")
    assert (await noor.put(path, {"title": "After"})).status_code == 200


async def test_a_suspended_company_refuses_all_writes_but_the_exceptions(world: World) -> None:
    ann = await world.bootstrap()
    await ann.post(f"/api/orgs/{ann.org.slug}/suspend")
    own = [endpoint for endpoint in world.app.endpoints if endpoint.route.auth is not PROVISION]
    assert {endpoint.route.name for endpoint in own if endpoint.route.while_suspended} == OPEN_WHILE_SUSPENDED
    closed = [
        endpoint
        for endpoint in own
        if endpoint.route.writes
        and not endpoint.route.while_suspended
        and not endpoint.route.dry_run  # the write refuses it, after everything else: see tests/isolation
        and not endpoint.route.errors  # in the format of another protocol: see tests/isolation
        and endpoint.route.auth not in (PUBLIC, SUPERADMIN)
    ]
    assert len(closed) >= 20
    before = await world.counts()
    for endpoint in closed:
        assert refusal(await ann(endpoint.route.method, example_path(endpoint), {})) == SUSPENDED, endpoint.route.name
    assert await world.counts() == before


def example_path(endpoint: Endpoint) -> str:
    return re.sub(r":\w+", "x", endpoint.route.path)


async def test_signing_in_and_out_works_in_a_suspended_company(world: World) -> None:
    ann = await world.bootstrap()
    noor = await create_owner(ann)
    await world.suspend(noor.org)
    session = await signed_in(world, "noor")
    assert (await session.get("/api/whoami")).json()["org"]["suspended"] is True
    assert (await session.post("/api/logout")).status_code == 204
    assert not await is_alive(session)


async def test_credentials_can_be_revoked_in_a_suspended_company(world: World) -> None:
    ann = await world.bootstrap()
    noor = await create_owner(ann)
    token = (await noor.post("/api/tokens", {"name": "stolen"})).json()
    session, other = await signed_in(world, "noor"), await signed_in(world, "noor")
    await world.suspend(noor.org)
    assert (await noor.delete(f"/api/tokens/{token['id']}")).status_code == 204
    assert not await is_alive(Caller(world, token["token"]))
    listed = (await session.get("/api/sessions")).json()["items"]
    (stolen,) = [row["id"] for row in listed if not row["current"]]
    assert (await session.delete(f"/api/sessions/{stolen}")).status_code == 204
    assert [await is_alive(caller) for caller in (session, other)] == [True, False]


async def test_a_password_can_be_changed_in_a_suspended_company(world: World) -> None:
    ann = await world.bootstrap()
    noor = await create_owner(ann)
    await world.suspend(noor.org)
    change = {"current_password": PASSWORD, "new_password": OTHER_PASSWORD}
    assert (await noor.post("/api/password", change)).status_code == 204
    assert (await login(world, "noor", OTHER_PASSWORD)).status_code == 200


async def test_two_factor_authentication_can_be_changed_in_a_suspended_company(world: World) -> None:
    ann = await world.bootstrap()
    noor = await create_owner(ann)
    await world.suspend(noor.org)
    assert len((await enrolled(noor))["recovery_codes"]) == 10
    renewed = await noor.post("/api/2fa/recovery-codes")
    assert (renewed.status_code, len(renewed.json()["recovery_codes"])) == (200, 10)
    assert (await noor.delete("/api/2fa", {"password": PASSWORD})).status_code == 204
    await enrolled(noor)
    assert (await ann.delete(f"/api/admin/users/{noor.user_id}/2fa")).status_code == 204
    assert (await login(world, "noor")).status_code == 200


async def test_an_activation_link_works_in_a_suspended_company(world: World) -> None:
    ann = await world.bootstrap()
    url = (await create(ann, owner={"username": "noor"}))["activation_url"]
    await ann.post("/api/orgs/aurora-books/suspend")
    answer = await world.anonymous.post("/api/activate", {"token": url.split("#")[1], "password": OTHER_PASSWORD})
    assert answer.status_code == 200
    session = Caller(world, answer.json()["token"])
    assert refusal(await session.post("/api/notes", {"title": "Not yet"})) == SUSPENDED


async def test_an_operator_of_a_suspended_company_can_resume_it(world: World) -> None:
    ann = await world.bootstrap()
    for caller in (ann, await world.session(ann)):
        assert (await caller.post(f"/api/orgs/{ann.org.slug}/suspend")).json()["suspended"] is True
        assert refusal(await caller.post("/api/notes", {"title": "Not yet"})) == SUSPENDED
        assert refusal(await caller.put("/api/branding", {"title": "Not yet"})) == SUSPENDED
        assert (await caller("PATCH", f"/api/orgs/{ann.org.id}", {"plan": "pro"})).status_code == 200
        assert (await caller.post(f"/api/orgs/{ann.org.id}/resume")).json()["suspended"] is False
        assert (await caller.post("/api/notes", {"title": "Now"})).status_code == 201
    await ann.post(f"/api/orgs/{ann.org.id}/suspend")
    assert (await create(ann))["org"]["slug"] == "aurora-books"


async def test_a_suspension_affects_only_its_company(world: World) -> None:
    ann = await world.bootstrap()
    noor = await create_owner(ann)
    ines = await create_owner(ann, name="Borealis", owner={"username": "ines", "password": PASSWORD})
    await ann.post("/api/orgs/aurora-books/suspend")
    assert refusal(await noor.post("/api/notes", {"title": "Here"})) == SUSPENDED
    for caller in (ines, ann):
        assert (await caller.post("/api/notes", {"title": "There"})).status_code == 201
        assert (await caller.get("/api/whoami")).json()["org"]["suspended"] is False
    assert {org["slug"]: org["suspended"] for org in (await ann.get("/api/orgs")).json()["items"]} == {
        "aurora-books": True, "borealis": False, "workspace": False
    }  # fmt: skip


async def test_a_suspension_by_another_process_stops_the_next_write(settings: Settings) -> None:
    async with open_world(settings) as first, open_world(settings) as second:
        ann = await first.bootstrap()
        noor = await create_owner(ann)
        remote = Caller(second, noor.token)
        assert (await remote.post("/api/notes", {"title": "Before"})).status_code == 201
        await ann.post("/api/orgs/aurora-books/suspend")
        assert refusal(await remote.post("/api/notes", {"title": "After"})) == SUSPENDED
        await ann.post("/api/orgs/aurora-books/resume")
        assert (await remote.post("/api/notes", {"title": "Again"})).status_code == 201


# Permissions


@pytest.mark.parametrize("act", [lambda noor: noor.get("/api/orgs"), lambda noor: noor.post("/api/orgs", draft())])
async def test_a_company_owner_is_not_an_operator(world: World, act: Callable[[Caller], Any]) -> None:
    ann = await world.bootstrap()
    noor = await create_owner(ann)
    before = await world.counts()
    assert refusal(await act(noor)) == (403, "forbidden")
    assert refusal(await act(await world.person(ann.org, ann.team, Role.OWNER))) == (403, "forbidden")
    assert refusal(await act(world.anonymous)) == (401, "unauthenticated")
    assert (await world.counts())["orgs"] == before["orgs"]
