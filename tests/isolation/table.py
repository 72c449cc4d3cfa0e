"""The matrix: one row a route. What it asks for, what is sent, and what comes of it for whoever it admits.

Everybody else's outcome follows from `contract` by the order of checks that the contract gives.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from tests.isolation.contract import (
    DEAD,
    EXPIRED,
    IDLE,
    LIMITED,
    SUSPENDED,
    WORKER,
    Kind,
    held,
    scope,
)
from tests.isolation.outcomes import (
    ALREADY_BOOTSTRAPPED,
    CONFLICT,
    CREATED,
    EMPTY,
    FORBIDDEN,
    OK,
    ORG_SUSPENDED,
    TOKEN_EXPIRED,
    UNAUTHENTICATED,
    Outcome,
    forbidden,
    out_of_scope,
)
from tests.isolation.stage import Ask, Stage
from tests.isolation.things import (
    MEMBER,
    NOTE,
    NOTHING,
    OWN_SESSION,
    PERSON,
    TEAM_TOKEN,
    Thing,
    as_it_is,
    author,
    filled,
    newcomer,
    somebody,
    with_factor,
    without_factor,
)
from tests.support.world import PASSWORD


class Needs(msgspec.Struct, frozen=True):
    plane: str
    permission: str = ""


PUBLIC = Needs("public")
ANYONE = Needs("anyone with a credential")
OWN = Needs("one's own account")


def role(permission: str) -> Needs:
    """By role alone."""
    return Needs("role", permission)


def row(permission: str) -> Needs:
    """By role, ownership or grant."""
    return Needs("row", permission)


class Case(msgspec.Struct, frozen=True):
    route: str
    needs: Needs
    body: dict[str, Any] | None = None
    answer: Outcome = OK
    about: Thing = NOTHING
    open: bool = False
    """Stays open in a suspended company."""
    cached: bool = False
    """Its answer is the same for all, and may be kept by caches."""
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
        path = self.path.replace(":id", named or await self.about.make(stage, kind))
        return Ask(self.method, path, body=body)


# fmt: off
_SIGN_IN  = {"username": author, "password": PASSWORD}
_FIRST    = {"username": "first", "password": PASSWORD}
_PASSWORD = {"current_password": PASSWORD, "new_password": PASSWORD}
_SHARE    = {"user_id": somebody, "permission": "notes:manage"}
_TOKEN    = {"name": "Token", "scope": ["settings:manage"]}
_JOIN     = {"username": newcomer, "role": "guest"}

CASES = (
    #    route                              asks for                 sends                    answers
    Case("GET /",                           PUBLIC),
    Case("GET /health",                     PUBLIC),
    Case("GET /api/config",                 PUBLIC),
    Case("GET /api/openapi.json",           PUBLIC,                                           cached=True),
    Case("GET /api/docs",                   PUBLIC,                                           cached=True),

    Case("POST /api/bootstrap",             PUBLIC,                  _FIRST,                  ALREADY_BOOTSTRAPPED),
    Case("POST /api/login",                 PUBLIC,                  _SIGN_IN,                open=True),
    Case("POST /api/logout",                ANYONE,                  None,                    CONFLICT, open=True, besides={"signed-in": EMPTY}),

    Case("GET /api/whoami",                 ANYONE),
    Case("POST /api/profile",               OWN,                     {"locale": "en"}),
    Case("POST /api/password",              OWN,                     _PASSWORD,               EMPTY, open=True),
    Case("GET /api/sessions",               OWN),
    Case("DELETE /api/sessions/:id",        OWN,                     None,                    EMPTY, OWN_SESSION, open=True),

    Case("POST /api/2fa/enable",            OWN,                     {"confirm": True},       open=True, before=without_factor),
    Case("POST /api/2fa/recovery-codes",    OWN,                     None,                    open=True, before=with_factor),
    Case("GET /api/2fa/recovery-codes",     OWN),
    Case("DELETE /api/2fa",                 OWN,                     {"password": PASSWORD},  EMPTY, open=True, before=with_factor),
    Case("DELETE /api/admin/users/:id/2fa", role("instance:manage"), None,                    EMPTY, PERSON, open=True),

    Case("POST /api/members",               role("members:manage"),  _JOIN,                   CREATED),
    Case("GET /api/members",                ANYONE),
    Case("PATCH /api/members/:id",          role("members:manage"),  {"role": "guest"},       OK, MEMBER),
    Case("DELETE /api/members/:id",         role("members:manage"),  None,                    EMPTY, MEMBER),

    Case("POST /api/tokens",                role("settings:manage"), _TOKEN,                  CREATED),
    Case("GET /api/tokens",                 role("settings:manage")),
    Case("DELETE /api/tokens/:id",          role("settings:manage"), None,                    EMPTY, TEAM_TOKEN, open=True),

    Case("POST /api/notes",                 role("notes:write"),     {"title": "Note"},       CREATED),
    Case("GET /api/notes",                  row("notes:read")),
    Case("GET /api/notes/:id",              row("notes:read"),       None,                    OK, NOTE),
    Case("PUT /api/notes/:id",              row("notes:write"),      {"title": "Changed"},    OK, NOTE),
    Case("DELETE /api/notes/:id",           row("notes:delete"),     None,                    EMPTY, NOTE),
    Case("POST /api/notes/:id/share",       row("notes:manage"),     _SHARE,                  OK, NOTE),
)
# fmt: on

BY_ROUTE = {case.route: case for case in CASES}


def expected(case: Case, kind: Kind) -> Outcome:
    return at_the_gate(case, kind) or case.about.rule(kind, case.needs.permission) or answered(case, kind)


def at_the_gate(case: Case, kind: Kind) -> Outcome | None:
    """The contract's order: credential, scope, company, permission."""
    needs = case.needs
    if needs is PUBLIC:
        return None
    if kind.credential in DEAD:
        return TOKEN_EXPIRED if kind.credential in (EXPIRED, IDLE) else UNAUTHENTICATED
    if not _in_scope(needs, kind):
        return out_of_scope(needs.permission)
    if kind.place is SUSPENDED and case.writes and not case.open:
        return ORG_SUSPENDED
    if kind.credential is WORKER and needs.permission != "jobs:execute":
        return FORBIDDEN
    if needs.plane == "role" and needs.permission not in held(kind.roles):
        return forbidden(needs.permission)
    return None


def answered(case: Case, kind: Kind) -> Outcome:
    return case.besides.get(kind.name, case.answer)


def _in_scope(needs: Needs, kind: Kind) -> bool:
    """A limited credential reaches what it names, and never its person's own account."""
    if needs is OWN:
        return kind.credential not in LIMITED
    return not needs.permission or needs.permission in scope(kind, needs.permission)
