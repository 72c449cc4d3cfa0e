"""The OpenAPI document matches the server: an independent fuzzer finds no undocumented response."""

import html
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

from teamspace import wiring
from teamspace.core import clock, paging
from teamspace.core.crypto import Vault, load_key
from teamspace.core.ids import new_id
from teamspace.core.openapi import document
from teamspace.core.routing import Route
from teamspace.settings import Settings
from tests.branding.help import encoded
from tests.branding.help import picture as draw
from tests.contract import words
from tests.onboarding.help import document as experience
from tests.onboarding.signing_up import solve
from tests.support.served import Served
from tests.support.world import PASSWORD, World
from tests.triggers.help import spec

CHECKS = (
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
    "negative_data_rejection", "unsupported_method", "use_after_free",
)  # fmt: skip
EXAMPLES = 6
FUZZER_SECONDS = 900
"""For a fuzzer that hangs. It takes one or two minutes, and several times that beside two others on two cores."""
HOST = "provision-token-of-the-fuzzed-host"
EXAMPLE = Path(__file__).parents[2] / "examples" / "sandboxed-plugin"


class Role(msgspec.Struct, frozen=True):
    """The credential of the fuzzer, its options, and the routes that must succeed at least once."""

    token: str = ""
    options: tuple[str, ...] = ("--phases", "coverage,fuzzing,stateful")
    hosted: bool = False
    must_succeed: frozenset[str] = frozenset()


_ROUTES = {
    route.name: "plugins" if contribution.package.is_plugin else contribution.package.name.rpartition(".")[2]
    for contribution in wiring.SHIPPED.contributions
    for route in contribution.rows.get(Route, ())
}
_HOST_ROUTES = frozenset(name for name in _ROUTES if re.search(r"/api/(provision|instance)", name))
# Routes that need a session or a password, or succeed only once.
_UNREACHABLE = frozenset({
    "POST /api/bootstrap", "POST /api/login", "POST /api/login/resume", "POST /api/activate", "POST /api/logout", "POST /api/password",
    "DELETE /api/sessions/:id", "DELETE /api/2fa",
    # These need a worker token, or an input that depends on the kind of job, which the document does not describe.
    "POST /api/workers/claim", "POST /api/workers/jobs/:id/heartbeat", "POST /api/workers/jobs/:id/complete",
    "POST /api/workers/jobs/:id/fail", "POST /api/jobs",
    "GET /api/events",  # never ends
    "POST /api/repo-uploads/:id/complete",  # needs parts that have the size in the body
    "GET /api/repo-obj/:id/thumbnail",  # needs an image
    "GET /api/repo-media/:address", "POST /api/repo-zip/form",  # need what the server has signed
    "POST /s/:token",  # needs a form with a password
    "DELETE /api/ai/chat/stream/:id",  # needs a turn that runs
    "POST /api/runs/:id/cancel",  # needs a run that has not ended
    # These need an entity, which only an extracted document has.
    "GET /api/kg/entities/:id", "POST /api/kg/entities/:id/merge", "POST /api/kg/entities/:id/split",
    "POST /api/beta/signup",  # needs a solved challenge
    "POST /api/trash/:id/restore", "DELETE /api/trash/:id",  # need something that was just deleted
    "PUT /api/beta/experience",  # needs exactly one field for an e-mail address
    "GET /beta/bundle/:plugin/*path",  # no plugin that ships has public files
})  # fmt: skip


def _operator_of(packages: tuple[str, ...]) -> Role:
    """An operator who calls the routes of some packages."""
    names = [name for name, package in _ROUTES.items() if package in packages]
    operations = [re.sub(r"[:*](\w+)", r"{\1}", name) for name in names]
    options = ("--phases", "coverage,fuzzing,stateful", *(f"--include-name={each}" for each in operations))
    return Role("operator", options, must_succeed=frozenset(names) - _HOST_ROUTES - _UNREACHABLE)


# fmt: off
ROLES = {
    "anonymous": Role(options=("--phases", "coverage")),
    "member":    Role("member",   ("--phases", "coverage")),
    "host":      Role("host",     ("--include-path-regex", "^/api/(provision|instance)"), True, _HOST_ROUTES),
    "suspended": Role("operator", ("--phases", "coverage"), True),
}
PARTS = {
    "operator-companies": ("tenancy",),
    "operator-accounts":  ("identity", "branding", "console", "localization", "onboarding"),
    "operator-content":   ("notes", "conversations", "documents", "repository", "links", "trash", "s3", "search", "knowledge",
                           "references", "presence", "favourites", "activity"),
    "operator-jobs":      ("jobs", "executors", "quota", "audit", "instance", "tools", "events", "plugins", "oop"),
    "operator-models":    ("ai", "agents", "translation", "openai_api", "mcp", "workflows", "triggers"),
}
"""An operator calls every route: in a normal run one part of them, or those of the packages that changed."""
# fmt: on
ROLES |= {name: _operator_of(packages) for name, packages in PARTS.items()}


def _marks(database: str, role: str) -> list[pytest.MarkDecorator]:
    """A normal run has an operator with a part of the routes, on the database that is stricter about values, or the
    host, who alone can use some routes. The isolation matrix covers the responses of everyone else for every route.
    """
    turns = [("sqlite", "host"), *(("postgres", part) for part in PARTS)]
    if (database, role) not in turns:
        return [pytest.mark.thorough]
    turn = pytest.mark.one_of(len(turns), turns.index((database, role)))
    return [turn, pytest.mark.about(*PARTS.get(role, ("tenancy", "instance")))]


def test_the_fuzzer_calls_the_routes_of_every_package() -> None:
    assert sorted(package for part in PARTS.values() for package in part) == sorted(set(_ROUTES.values()))


class Scenario(msgspec.Struct, frozen=True):
    """The tokens of the fuzzed server, and field values that are valid there."""

    operator: str
    member: str
    words: dict[str, list[str | None]]
    host: str = HOST

    @classmethod
    def of(cls, served: Served) -> "Scenario":
        first = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})
        operator = first["token"]
        member = served.call("POST", "/api/members", {"username": "bob", "role": "member"}, token=operator)
        # The fuzzer suspends, limits and renames this company instead of its own.
        company = served.call("POST", "/api/orgs", {"name": "Acme", "owner": {"username": "carol"}}, token=operator)
        picture = encoded(draw())
        logo = served.call("POST", "/api/branding/logo", {"data": picture}, token=operator)["logo"]
        person = [member["member"]["user_id"]]
        job = {"kind": "ai.chat", "input": {"prompt": "Hello"}, "run_at": "2999-01-01T00:00:00Z"}
        jobs = [served.call("POST", "/api/jobs", job, token=operator)["id"] for _ in range(4)]
        executor = served.call("POST", "/api/executors", {"name": "Old", "mode": "pull"}, token=operator)["id"]
        keys = [served.call("POST", "/api/s3/credentials", {}, token=operator)["id"] for _ in range(4)]
        conversation = served.call("POST", "/api/conversations", {}, token=operator)["id"]
        served.call("POST", "/api/workflows", spec(), token=operator)
        triggers = [
            served.call("POST", "/api/doc-triggers", {"workflow_slug": "file", "match_prefix": "x/"}, token=operator)[
                "id"
            ]
            for _ in range(20)
        ]
        (Path(served.settings["SERVICE_DATA"]) / "locales" / "fr.json").write_text('{"jobs": {"answer": "Réponse"}}')
        served.call("POST", "/api/l10n/import", {"locale": "fr"}, token=operator)
        drafts = "/api/l10n/messages?locale=de&status=machine&limit=200"
        console_texts = [message["id"] for message in served.call("GET", drafts, token=operator)["items"]]
        asset = {"filename": "a.png", "data": picture}
        assets = [served.call("POST", "/api/beta/assets", asset, token=operator)["id"] for _ in range(20)]
        prospects = _sign_up(served, operator)
        served.call("PUT", "/api/beta/experience", experience(), token=operator)
        served.put("/api/repo/files/same.txt", b"Same", operator)
        documents = [
            served.call("POST", "/api/documents", {"title": f"Plan {number}", "visibility": "team"}, token=operator)[
                "id"
            ]
            for number in range(60)
        ]
        uploads = [
            served.call("POST", "/api/repo-uploads", {"key": f"parts/{number}.bin"}, token=operator)["id"]
            for number in range(30)
        ]
        links = [served.call("POST", f"/api/repo-obj/{documents[0]}/links", {}, token=operator) for _ in range(20)]
        return cls(operator, member["token"], {
            "/api/repo-uploads/{id}/parts path.id": uploads[:10],
            "/api/repo-uploads/{id} path.id": uploads[10:],
            "/api/repo-uploads/{id}/parts query.number": ["1", "2"],
            "/api/repo-obj/{id}/links/{link} path.id": documents[:1],
            "/api/repo-obj/{id}/links/{link} path.link": [link["id"] for link in links[1:]],
            "path.token": [links[0]["url"].rpartition("/")[2]],
            "/api/references query.to": [f"document:{documents[0]}"],
            "/api/repo-obj/{id}/versions/{number} path.id": documents[:1],
            "/api/repo-obj/{id}/versions/{number} path.number": ["1"],
            "path.kind": ["document"],
            **{f"/api/{name}/{{kind}}/{{id}} path.id": documents[:10] for name in ("presence", "favourites", "recents")},
            **{
                f"/api/repo-obj/{{id}}{rest} path.id": documents[:10]
                for rest in ("/content", "/presign", "/share", "/unshare", "/grants", "/visibility", "/derivations", "/processing", "/move", "/copy", "/links")
            },
            # The fuzzer deletes these two.
            "/api/repo-obj/{id} path.id": documents[10:40],
            "/api/documents/{id} path.id": documents[40:],
            "/api/s3/credentials/{id} path.id": keys,
            "/api/beta/asset/{id} path.id": assets,
            "/api/beta/prospects/{id} path.id": prospects[:10],
            "/api/beta/prospects/{id}/decide path.id": prospects[10:],
            "/api/beta/experience/publish header.If-Match": ["*"],
            "/api/doc-triggers/{id} path.id": triggers,
            "query.locale": ["de"],
            "/api/l10n/messages query.id": console_texts[:2],
            "/api/l10n/messages query.around": console_texts[:2],
            "/api/l10n/messages/{id} path.id": console_texts[:5],
            # What nobody has changed since it was read; other values are refused as outdated.
            "/api/l10n/messages/{id} body.submitted_at": [None],
            "/api/l10n/review/{id} body.submitted_at": [None],
            "/api/l10n/review/{id} body.updated_at": [None],
            # A draft can be approved once.
            "/api/l10n/review/{id} path.id": console_texts[5:],
            # A catalog of one text, and one in which nothing is missing: all of a language would take seconds.
            "/api/l10n/discard body.locale": ["fr"],
            "/api/l10n/import body.locale": ["fr"],
            "/api/l10n/draft body.locale": ["de"],
            "body.default_locale": ["en"],
            "body.workflow_slug": ["file"],
            "body.match_prefix": ["x/#/"],
            "query.key": ["x/#.png"],
            "query.content_type": ["image/png"],
            "path.key": ["files/#.txt", "files/same.txt"],
            "/api/repo/{key} header.If-Match": ["*"],
            "body.key": ["moved/#.txt"],
            "query.filename": ["file-#.txt"],
            "body.principal_type": ["user"],
            "body.principal_id": person,
            "body.expires_at": ["2999-01-01T00:00:00Z"],
            "path.ref": [company["org"]["id"], company["org"]["slug"]],
            "path.name": ["chat", "agent"],
            "/api/tools/{name} path.name": ["search", "read_note"],
            "path.plugin": ["example-tools"],
            "/api/oop/{id}/grants path.id": [EXAMPLE.name],
            "body.capabilities": ["clock", "kv"],
            "/api/x/{plugin}/bundle/{path} path.path": ["index.js"],
            "query.lane": ["hamburg-oslo"],
            "body.lane": ["hamburg-oslo"],
            "query.text": ["Hello"],
            "/v1/chat/completions body.model": ["default"],
            "/assets/{path} path.path": _built_files(),
            "/api/members/{id} path.id": person,
            "/api/members/{id}/transfer path.id": person,
            "/api/members/{id}/transfer body.to": [first["user"]["id"]],
            "/api/org/members/{id} path.id": person,
            "/api/admin/users/{id}/2fa path.id": person,
            "/api/jobs/{id} path.id": jobs,
            "/api/jobs/{id}/cancel path.id": jobs,
            "/api/executors/{id} path.id": [executor],
            "query.logo": [logo.partition("=")[2]],
            "query.since": ["2001-01-01T00:00:00Z"],
            "query.until": ["2101-01-01T00:00:00Z"],
            "query.q": ["note", "\"a note\" tag"],
            "header.Idempotency-Key": ["key-#"],
            "body.user_id": person,
            "body.team_id": [first["team"]["id"]],
            "body.username": ["person#"],
            "body.owner.username": ["owner#"],
            "body.prompt": ["Hello"],
            "body.conversation_id": [conversation],
            "body.parent_id": [words.LEFT_OUT],  # it needs a conversation, which few requests have
            "body.target": ["de", "pt-BR"],
            "body.source": ["en"],
            "query.target": ["de"],
            "body.term": ["term #"],
            "body.translation": ["text"],
            "body.note": ["A note"],
            "body.email": ["person#@example.com"],
            "body.slug": ["slug-#"],
            "body.domain": ["work#.example.com"],
            "body.locale": ["en"],
            "body.time_zone": ["Europe/Berlin"],
            "body.data": [picture],
            "body.content_type": ["image/png"],
            "body.logo": [logo, f"data:image/png;base64,{picture}"],
            "/api/activate body.token": [company["activation_url"].partition("#")[2]],
            "/api/activate body.password": [PASSWORD],
        } | _cursors(served) | {f"body.{name}": ["Some name"] for name in ("name", "org", "team", "title", "display_name")})  # fmt: skip


def _sign_up(served: Served, operator: str) -> list[str]:
    """Let people sign up; return their ids."""
    for number in range(20):
        pow = solve(served.call("GET", "/api/beta/challenge"))
        fields = {"name": "Eva", "email": f"eva{number}@example.com", "use": f"Plan {number}"}
        served.call("POST", "/api/beta/signup", {"fields": fields, "pow": pow})
    return [each["id"] for each in served.call("GET", "/api/beta/prospects", token=operator)["items"]]


def _cursors(served: Served) -> dict[str, list[str]]:
    """A valid cursor for every list."""
    vault = Vault(load_key(None, Path(served.settings["SERVICE_DATA"])))
    positions = {"/api/repo-obj/{id}": "2", "/api/repo-uploads/{id}/parts": "1", "/api/search": f"500000/{new_id()}",
                 "/api/conversations": f"{clock.stamp()}/{new_id()}"}  # fmt: skip
    cursors = {}
    for path, methods in served.call("GET", "/api/openapi.json")["paths"].items():
        if any(each["name"] == "cursor" for each in methods.get("get", {}).get("parameters", ())):
            cursors[f"{path} query.cursor"] = [
                paging.sign_cursor(vault, paging.encode_cursor(positions.get(path, new_id())))
            ]
    return cursors


async def test_the_document_has_every_route(world: World) -> None:
    openapi = (await world.anonymous.get("/api/openapi.json")).json()
    assert openapi == json.loads(json.dumps(document(world.app.endpoints)))
    operations = {(method.upper(), path) for path, methods in openapi["paths"].items() for method in methods}
    assert len(operations) == len(world.app.endpoints)
    assert openapi["openapi"] == "3.1.0"


async def test_the_html_page_needs_nothing_else(world: World) -> None:
    page = await world.anonymous.get("/api/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "<script" not in page.text and "http://" not in page.text and "https://" not in page.text
    for endpoint in world.app.endpoints:
        assert html.escape(endpoint.route.doc) in page.text


async def test_a_route_with_two_response_types_is_described_with_both(world: World) -> None:
    openapi = (await world.anonymous.get("/api/openapi.json")).json()
    answers = openapi["paths"]["/api/branding"]["get"]["responses"]["200"]["content"]
    assert answers == {"application/json": {"schema": {"$ref": "#/components/schemas/Branding"}}, "*/*": {}}


async def test_an_audit_log_is_described_as_a_page_and_as_json_lines(world: World) -> None:
    openapi = (await world.anonymous.get("/api/openapi.json")).json()
    for path in ("/api/audit", "/api/org/audit"):
        answers = openapi["paths"][path]["get"]["responses"]["200"]["content"]
        assert answers["application/x-ndjson"] == {"schema": {"type": "string"}}
        assert answers["application/json"] == {"schema": {"$ref": "#/components/schemas/Page_AuditEvent_"}}


async def test_prospects_are_described_as_a_page_and_as_csv(world: World) -> None:
    openapi = (await world.anonymous.get("/api/openapi.json")).json()
    answers = openapi["paths"]["/api/beta/prospects"]["get"]["responses"]["200"]["content"]
    assert answers["text/csv"] == {"schema": {"type": "string"}}
    assert answers["application/json"] == {"schema": {"$ref": "#/components/schemas/ProspectPage"}}


async def test_every_object_schema_describes_its_properties(world: World) -> None:
    openapi = (await world.anonymous.get("/api/openapi.json")).json()
    schemas = openapi["components"]["schemas"]
    assert schemas["AuditEvent"]["properties"]["detail"] == {"type": "object", "additionalProperties": True}
    theme, nothing = schemas["BrandingChange"]["properties"]["theme"]["anyOf"]
    assert (theme["properties"], theme["additionalProperties"]) == (schemas["Theme"]["properties"], False)
    assert nothing == {"type": "null"}
    assert [each for each in _objects(openapi) if not each.keys() & {"properties", "additionalProperties"}] == []


def _objects(node: Any) -> Iterator[dict[str, Any]]:
    parts = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    if isinstance(node, dict) and node.get("type") == "object":
        yield node
    for part in parts:
        yield from _objects(part)


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("database_url", "role"),
    [pytest.param(*pair, marks=_marks(*pair)) for pair in product(("sqlite", "postgres"), ROLES)],
    indirect=["database_url"],
)
def test_a_fuzzer_finds_no_undocumented_response(settings: Settings, role: str) -> None:
    environment = {"SERVICE_DATA": str(settings.data), "SERVICE_DATABASE_URL": settings.database_url}
    environment["SERVICE_SANDBOXED_PLUGINS"] = str(EXAMPLE)
    environment["SERVICE_PROVISION_TOKEN"] = HOST if ROLES[role].hosted else ""
    with Served({name: value for name, value in environment.items() if value}) as served:
        scenario = Scenario.of(served)
        if role == "suspended":
            served.call("POST", "/api/instance/suspend", token=HOST)
        before = _successes(served, scenario)
        found = _fuzz(served, settings, scenario, role)
        if "problem:overloaded" in found.stdout:
            # On a busy machine the server sheds load, as it should: try once more.
            found = _fuzz(served, settings, scenario, role)
        assert found.returncode == 0, found.stdout[-8000:] + found.stderr[-2000:]
        assert re.search(r"(\d{2,}) generated, \1 passed", found.stdout), found.stdout[-3000:]
        assert "trace=" not in served.logs
        # After losing the credential or suspending the own company, every further request would have been refused.
        assert served.call("GET", "/api/whoami", token=scenario.operator)["org"]["suspended"] is False
        assert ROLES[role].must_succeed - (_successes(served, scenario) - before).keys() == set()


def _fuzz(served: Served, settings: Settings, scenario: Scenario, role: str) -> subprocess.CompletedProcess[str]:
    # Any 4xx is a correct refusal of invalid data.
    (settings.data / "schemathesis.toml").write_text('checks.negative_data_rejection.expected-statuses = ["4xx"]')
    token = getattr(scenario, ROLES[role].token, "")
    return subprocess.run(
        [
            sys.executable, "-m", "schemathesis.cli", "run", f"{served.url}/api/openapi.json", "--no-color",
            "--exclude-path", "/api/events", "--checks", ",".join(CHECKS), "--seed", "7", "--request-timeout", "60", "--max-examples", str(EXAMPLES), *ROLES[role].options,
            *(["--header", f"Authorization: Bearer {token}"] if token else []),
        ],
        env={**os.environ, "SCHEMATHESIS_HOOKS": words.__file__, words.VARIABLE: json.dumps(scenario.words)},
        capture_output=True, text=True, timeout=FUZZER_SECONDS, check=False, cwd=settings.data,
    )  # fmt: skip


def _built_files() -> list[str]:
    files = resources.files("teamspace.console") / "static" / "assets"
    return [file.name for file in files.iterdir() if file.name.endswith((".css", ".js"))]


def _successes(served: Served, scenario: Scenario) -> Counter[str]:
    """The number of successful responses per route."""
    figures = served.call("GET", "/api/metrics", token=scenario.operator)["routes"]
    return Counter({
        f"{each['method']} {each['route']}": sum(n for status, n in each["by_status"].items() if status.startswith("2"))
        for each in figures
    })  # fmt: skip
