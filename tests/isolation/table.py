"""The matrix: one row a route. What it asks for, what is sent, and what comes of it for whoever it admits.

Everybody else's outcome follows from `contract` by the order of checks that the contract gives.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from tests.branding.help import encoded, picture
from tests.isolation.contract import (
    DEAD,
    EXPIRED,
    IDLE,
    LIMITED,
    PROVISION,
    SUSPENDED,
    WORKER,
    Kind,
    held,
    scope,
)
from tests.isolation.outcomes import (
    ACCEPTED,
    ALREADY_BOOTSTRAPPED,
    CONFLICT,
    CREATED,
    EMPTY,
    FORBIDDEN,
    HIDDEN,
    NOTHING_ASKED,
    OK,
    ORG_SUSPENDED,
    STALE_CLAIM,
    TENANT_SUSPENDED,
    TOKEN_EXPIRED,
    UNAUTHENTICATED,
    Outcome,
    forbidden,
    out_of_scope,
)
from tests.isolation.stage import Ask, Stage
from tests.isolation.things import (
    COLLEAGUE,
    COLLEAGUES,
    COMPANY,
    EXECUTOR,
    FEATURE,
    INSTANCE,
    JOB,
    JOB_TO_CANCEL,
    MEMBER,
    NEW_KEY,
    NOTE,
    NOTHING,
    OBJECT,
    OWN_KEY,
    OWN_SESSION,
    PERSON,
    SCREEN,
    SCRIPT,
    SOME_JOB,
    TEAM_TOKEN,
    Thing,
    as_it_is,
    author,
    filled,
    invitation,
    new_owner,
    newcomer,
    nothing_to_do,
    own_team,
    somebody,
    with_factor,
    without_factor,
    without_keys,
)
from tests.support.world import PASSWORD


class Needs(msgspec.Struct, frozen=True):
    plane: str
    permission: str = ""


PUBLIC = Needs("public")
ANYONE = Needs("anyone with a credential")
OWN = Needs("one's own account")
HOST = Needs("the provisioning token")


def role(permission: str) -> Needs:
    """By role alone."""
    return Needs("role", permission)


def row(permission: str) -> Needs:
    """By role, ownership or grant."""
    return Needs("row", permission)


def company(permission: str) -> Needs:
    """By a role in the company that is the caller's own, or as operator."""
    return Needs("company", permission)


def instance(permission: str) -> Needs:
    """By the operator flag."""
    return Needs("instance", permission)


class Case(msgspec.Struct, frozen=True):
    route: str
    """As the product names it; a second row for the same route says with which query."""
    needs: Needs
    body: dict[str, Any] | None = None
    answer: Outcome = OK
    about: Thing = NOTHING
    open: bool = False
    """Stays open in a suspended company, and in a suspended tenant."""
    cached: bool = False
    """Its answer is the same for all, and may be kept by caches."""
    books: str = ""
    """The table in which even a read leaves something: an export seals what it holds."""
    before: Callable[[Stage, Kind], Awaitable[None]] = as_it_is
    besides: dict[str, Outcome] = {}
    """Callers that get something else than their kind would."""

    @property
    def method(self) -> str:
        return self.route.split()[0]

    @property
    def path(self) -> str:
        return self.route.split()[1]

    @property
    def writes(self) -> bool:
        return self.method != "GET"

    async def ask(self, stage: Stage, kind: Kind, named: str = "") -> Ask:
        """The request as this caller makes it, about `named` or else something made for the purpose."""
        await self.before(stage, kind)
        body = None if self.body is None else await filled(self.body, stage, kind)
        named = named or await self.about.make(stage, kind)
        path, _, query = self.path.partition("?")
        return Ask(self.method, re.sub(r"[:*]\w+", named, path), dict(parse_qsl(query)), body)


# fmt: off
_SIGN_IN   = {"username": author, "password": PASSWORD}
_FIRST     = {"username": "first", "password": PASSWORD}
_TENANT    = {"username": newcomer}
_ACTIVATE  = {"token": invitation, "password": PASSWORD}
_PASSWORD  = {"current_password": PASSWORD, "new_password": PASSWORD}
_SHARE     = {"user_id": somebody, "permission": "notes:manage"}
_TOKEN     = {"name": "Token", "scope": ["settings:manage"]}
_JOIN      = {"username": newcomer, "role": "guest"}
_COLLEAGUE = {"username": newcomer, "role": "guest", "team_id": own_team}
_NO_ROLE   = {"org_role": None}
_COMPANY   = {"name": "Company", "owner": new_owner}
_LIMIT     = {"dimension": "ai.requests", "limit": None, "window": "day"}
_TITLE     = {"title": "Title"}
_ASK       = {"kind": "ai.chat", "input": {"prompt": "Hello"}}
_EXECUTOR  = {"name": newcomer, "mode": "pull"}
_HELD      = {"claim_token": "x"}
_DONE      = {"result": {}, "claim_token": "x"}
_FAILED    = {"error": "no", "claim_token": "x"}
_GRANT     = {"principal_type": "user", "principal_id": somebody, "capability": "manage"}
_UNGRANT   = {"principal_type": "user", "principal_id": somebody}
_LOGO      = {"data": encoded(picture())}

# Samples are notes: a token that reaches settings alone cannot write them.
_NO_NOTES  = {"exact-token": forbidden("notes:write")}

CASES = (
    #    route                              asks for                     sends                    answers
    Case("GET /",                           PUBLIC),
    Case("GET /index.html",                 PUBLIC),
    Case("GET /login",                      PUBLIC),
    Case("GET /activate",                   PUBLIC),
    Case("GET /app/*page",                  PUBLIC,                      about=SCREEN),
    Case("GET /assets/*path",               PUBLIC,                      about=SCRIPT,            cached=True),
    Case("GET /health",                     PUBLIC),
    Case("GET /ready",                      PUBLIC),
    Case("GET /api/config",                 PUBLIC),
    Case("GET /api/openapi.json",           PUBLIC,                                               cached=True),
    Case("GET /api/docs",                   PUBLIC,                                               cached=True),

    Case("GET /api/i18n/catalog",           PUBLIC,                                               cached=True),
    Case("GET /api/branding",               PUBLIC),
    Case("PUT /api/branding",               role("instance:manage"),     _TITLE),
    Case("POST /api/branding/logo",         role("instance:manage"),     _LOGO),
    Case("GET /api/org/branding",           company("org:read")),
    Case("PUT /api/org/branding",           company("org:manage"),       _TITLE),
    Case("DELETE /api/org/branding",        company("org:manage"),       None,                    EMPTY),
    Case("POST /api/org/branding/logo",     company("org:manage"),       _LOGO),

    Case("POST /api/bootstrap",             PUBLIC,                      _FIRST,                  ALREADY_BOOTSTRAPPED),
    Case("POST /api/provision",             HOST,                        _TENANT,                 CONFLICT),
    Case("POST /api/instance/suspend",      HOST,                        None,                    open=True),
    Case("POST /api/instance/resume",       HOST,                        None,                    open=True),
    Case("POST /api/instance/quota",        HOST,                        _LIMIT,                  open=True),
    Case("POST /api/activate",              PUBLIC,                      _ACTIVATE,               open=True),
    Case("POST /api/login",                 PUBLIC,                      _SIGN_IN,                open=True),
    Case("POST /api/logout",                ANYONE,                      None,                    CONFLICT, open=True, besides={"signed-in": EMPTY}),

    Case("GET /api/whoami",                 ANYONE),
    Case("POST /api/profile",               OWN,                         {"locale": "en"}),
    Case("POST /api/password",              OWN,                         _PASSWORD,               EMPTY, open=True),
    Case("GET /api/sessions",               OWN),
    Case("DELETE /api/sessions/:id",        OWN,                         None,                    EMPTY, OWN_SESSION, open=True),

    Case("POST /api/2fa/enable",            OWN,                         {"confirm": True},       open=True, before=without_factor),
    Case("POST /api/2fa/recovery-codes",    OWN,                         {},                      open=True, before=with_factor),
    Case("GET /api/2fa/recovery-codes",     OWN),
    Case("DELETE /api/2fa",                 OWN,                         {"password": PASSWORD},  EMPTY, open=True, before=with_factor),
    Case("DELETE /api/admin/users/:id/2fa", role("instance:manage"),     None,                    EMPTY, PERSON, open=True),

    Case("PATCH /api/admin/users/:id",      role("instance:manage"),     {"disabled": True},      OK, PERSON, open=True),

    Case("POST /api/members",               role("members:manage"),      _JOIN,                   CREATED),
    Case("GET /api/members",                ANYONE),
    Case("GET /api/contacts",               ANYONE),
    Case("GET /api/members?scope=org",      ANYONE,                      None,                    OK, COLLEAGUES),
    Case("PATCH /api/members/:id",          role("members:manage"),      {"role": "guest"},       OK, MEMBER),
    Case("DELETE /api/members/:id",         role("members:manage"),      None,                    EMPTY, MEMBER),
    Case("POST /api/members/:id/transfer",  role("members:manage"),      {"to": somebody},        OK, MEMBER),

    Case("GET /api/admin/status",           role("instance:manage")),
    Case("GET /api/metrics",                role("instance:manage")),
    Case("POST /api/admin/seed",            role("settings:manage"),     None,                    CREATED, besides=_NO_NOTES),
    Case("POST /api/admin/seed-tenants",    instance("instance:manage"), None,                    CREATED),
    Case("POST /api/orgs",                  instance("instance:manage"), _COMPANY,                CREATED),
    Case("GET /api/orgs",                   instance("instance:manage")),
    Case("GET /api/orgs/:ref",              instance("instance:manage"), None,                    OK, COMPANY),
    Case("PATCH /api/orgs/:ref",            instance("instance:manage"), {"plan": "pro"},         OK, COMPANY),
    Case("POST /api/orgs/:ref/suspend",     instance("instance:manage"), None,                    OK, COMPANY),
    Case("POST /api/orgs/:ref/resume",      instance("instance:manage"), None,                    OK, COMPANY),
    Case("POST /api/orgs/:ref/quota",       instance("instance:manage"), _LIMIT,                  OK, COMPANY),

    Case("GET /api/org",                    company("org:read")),
    Case("GET /api/org/teams",              company("org:read")),
    Case("POST /api/org/teams",             company("org:manage"),       {"name": "Team"},        CREATED),
    Case("POST /api/org/members",           company("org:manage"),       _COLLEAGUE,              CREATED),
    Case("PATCH /api/org/members/:id",      company("org:manage"),       _NO_ROLE,                OK, COLLEAGUE),

    Case("GET /api/audit",                  role("settings:manage")),
    Case("GET /api/audit?format=jsonl",     role("settings:manage"),                              books="audit"),
    Case("GET /api/audit?scope=instance",   role("settings:manage"),     None,                    OK, INSTANCE),
    Case("GET /api/org/audit",              company("org:read")),
    Case("GET /api/org/audit?format=jsonl", company("org:read"),                                  books="audit"),

    Case("POST /api/ai/echo",               role("chat:use"),            {"prompt": "Hello"}),
    Case("POST /api/jobs",                  role("chat:use"),            _ASK,                    ACCEPTED),
    Case("GET /api/jobs",                   ANYONE),
    Case("GET /api/jobs/:id",               ANYONE,                      None,                    OK, JOB),
    Case("POST /api/jobs/:id/cancel",       ANYONE,                      None,                    OK, JOB_TO_CANCEL),
    Case("GET /api/executors",              ANYONE),
    Case("POST /api/executors",             role("instance:manage"),     _EXECUTOR,               CREATED),
    Case("DELETE /api/executors/:id",       role("instance:manage"),     None,                    EMPTY, EXECUTOR, open=True),
    Case("POST /api/org/executors",         company("org:manage"),       _EXECUTOR,               CREATED),
    Case("POST /api/workers/claim",         role("jobs:execute"),        {},                      EMPTY, open=True, before=nothing_to_do),
    Case("POST /api/workers/jobs/:id/heartbeat", role("jobs:execute"),   _HELD,                   STALE_CLAIM, SOME_JOB, open=True),
    Case("POST /api/workers/jobs/:id/complete",  role("jobs:execute"),   _DONE,                   STALE_CLAIM, SOME_JOB, open=True),
    Case("POST /api/workers/jobs/:id/fail",      role("jobs:execute"),   _FAILED,                 STALE_CLAIM, SOME_JOB, open=True),

    Case("GET /api/usage",                  ANYONE),
    Case("POST /api/quota",                 role("instance:manage"),     _LIMIT),
    Case("GET /api/features",               ANYONE),
    Case("POST /api/features/:name",        role("settings:manage"),     {"enabled": True},       OK, FEATURE),

    Case("POST /api/tokens",                role("settings:manage"),     _TOKEN,                  CREATED),
    Case("GET /api/tokens",                 role("settings:manage")),
    Case("DELETE /api/tokens/:id",          role("settings:manage"),     None,                    EMPTY, TEAM_TOKEN, open=True),

    Case("GET /api/s3/credentials",         OWN),
    Case("POST /api/s3/credentials",        OWN,                         {},                      CREATED),
    Case("DELETE /api/s3/credentials/:id",  OWN,                         None,                    EMPTY, OWN_KEY, open=True),

    Case("POST /api/notes",                 role("notes:write"),         {"title": "Note"},       CREATED),
    Case("GET /api/notes",                  row("notes:read")),
    Case("GET /api/notes/:id",              row("notes:read"),           None,                    OK, NOTE),
    Case("PUT /api/notes/:id",              row("notes:write"),          {"title": "Changed"},    OK, NOTE),
    Case("DELETE /api/notes/:id",           row("notes:delete"),         None,                    EMPTY, NOTE),
    Case("POST /api/notes/:id/share",       row("notes:manage"),         _SHARE,                  OK, NOTE),

    Case("POST /api/documents",             role("files:write"),         {"title": "Text"},       CREATED),
    Case("GET /api/documents",              row("files:read")),
    Case("GET /api/documents/:id",          row("files:read"),           None,                    OK, OBJECT),
    Case("PUT /api/documents/:id",          row("files:write"),          {"title": "Changed"},    OK, OBJECT),
    Case("DELETE /api/documents/:id",       row("files:delete"),         None,                    EMPTY, OBJECT),

    Case("GET /api/repo",                   row("files:read")),
    Case("GET /api/repo?delimiter=/",       row("files:read")),
    Case("PUT /api/repo/*key",              row("files:write"),          None,                    CREATED, NEW_KEY),
    Case("GET /api/repo-obj/:id",           row("files:read"),           None,                    OK, OBJECT),
    Case("DELETE /api/repo-obj/:id",        row("files:delete"),         None,                    EMPTY, OBJECT),
    Case("GET /api/repo-obj/:id/content",   row("files:read"),           None,                    OK, OBJECT),
    Case("POST /api/repo-obj/:id/presign",  row("files:read"),           {},                      CONFLICT, OBJECT, open=True, before=without_keys),
    Case("POST /api/repo-obj/:id/share",    row("files:manage"),         _GRANT,                  OK, OBJECT),
    Case("POST /api/repo-obj/:id/unshare",  row("files:manage"),         _UNGRANT,                OK, OBJECT),
    Case("GET /api/repo-obj/:id/grants",    row("files:manage"),         None,                    OK, OBJECT),
    Case("GET /api/repo-obj/:id/grants?effective=1", row("files:manage"), None,                   OK, OBJECT),
    Case("POST /api/repo-obj/:id/visibility", row("files:manage"),       {"visibility": "private"}, OK, OBJECT),
    Case("GET /api/repo-obj/:id/derivations", row("files:read"),         None,                    OK, OBJECT),
    Case("GET /api/repo-obj/:id/processing", row("files:read"),          None,                    OK, OBJECT),
    Case("GET /api/share-targets",          role("files:read")),
    Case("GET /api/search",                 role("search"),              None,                    NOTHING_ASKED),
    Case("GET /api/search?q=isolation",     role("search")),
)
# fmt: on

BY_ROUTE = {case.route: case for case in CASES}


def expected(case: Case, kind: Kind, *, hosted: bool) -> Outcome:
    """`hosted` is on a stage that its host has suspended."""
    by_the_thing = case.about.rule(kind, case.needs.permission)
    return at_the_gate(case, kind, hosted=hosted) or by_the_thing or answered(case, kind)


def at_the_gate(case: Case, kind: Kind, *, hosted: bool) -> Outcome | None:
    """The contract's order: credential, scope, tenant, company, permission."""
    needs = case.needs
    if needs is PUBLIC:
        return None
    if needs is HOST:
        return _at_the_hosts_gate(kind, hosted=hosted)
    if kind.credential in DEAD:
        return TOKEN_EXPIRED if kind.credential in (EXPIRED, IDLE) else UNAUTHENTICATED
    if not _in_scope(needs, kind):
        return out_of_scope(needs.permission)
    if case.writes and not case.open and (suspension := _suspension(needs, kind, hosted=hosted)):
        return suspension
    if kind.credential is WORKER and needs.permission != "jobs:execute":
        return FORBIDDEN
    return None if _holds(needs, kind) else forbidden(needs.permission)


def answered(case: Case, kind: Kind) -> Outcome:
    return case.besides.get(kind.name, case.answer)


def _at_the_hosts_gate(kind: Kind, *, hosted: bool) -> Outcome | None:
    """Without a host there is no such address; with one, nobody else gets any further, whoever they are."""
    if not hosted:
        return HIDDEN
    return None if kind.credential is PROVISION else UNAUTHENTICATED


def _in_scope(needs: Needs, kind: Kind) -> bool:
    """A limited credential reaches what it names, and never its person's own account."""
    if needs is OWN:
        return kind.credential not in LIMITED
    return not needs.permission or needs.permission in scope(kind, needs.permission)


def _suspension(needs: Needs, kind: Kind, *, hosted: bool) -> Outcome | None:
    """A tenant's binds everybody. A company's does not bind an operator who administers the instance."""
    if hosted:
        return TENANT_SUSPENDED
    administers = needs.plane == "instance" and "operator" in kind.roles
    return ORG_SUSPENDED if kind.place is SUSPENDED and not administers else None


def _holds(needs: Needs, kind: Kind) -> bool:
    if needs.plane == "instance":
        return "operator" in kind.roles
    if needs.plane == "company" and "operator" in kind.roles:
        return True
    return needs.plane not in ("role", "company") or needs.permission in held(kind.roles)
