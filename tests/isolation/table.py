"""The matrix: for each route the permission it needs, what is sent, and the outcome for callers that it admits.

The outcomes for all other callers follow from `contract`, in the order of checks that the contract defines.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from tests.branding.help import encoded, picture
from tests.isolation.contract import (
    EXPIRED,
    IDLE,
    INVALID,
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
    EMPTY_QUERY,
    FOR_A_MINUTE,
    FOR_GOOD,
    FORBIDDEN,
    HIDDEN,
    INVALID_SPEC,
    NO_DRAFT,
    NO_LOCALE,
    NO_NUMBER,
    NO_TARGET,
    NO_TEXT,
    NOT_JSON,
    OK,
    ORG_SUSPENDED,
    REVALIDATED,
    STALE_CLAIM,
    TENANT_SUSPENDED,
    TOKEN_EXPIRED,
    UNAUTHENTICATED,
    USER_ERROR,
    Outcome,
    forbidden,
    out_of_scope,
)
from tests.isolation.stage import Request, Stage
from tests.isolation.targets import (
    ASSET,
    COLLEAGUE,
    COLLEAGUES,
    COMPANY,
    COMPANY_LINK,
    CONSOLE_TEXT,
    CONVERSATION,
    CONVERSATION_TO_CONTINUE,
    CONVERSATION_TO_MANAGE,
    ENTITY,
    EXECUTOR,
    FEATURE,
    INSTANCE,
    JOB,
    JOB_TO_CANCEL,
    LINK,
    MEMBER,
    NEW_KEY,
    NEW_UPLOAD,
    NO_ADDRESS,
    NO_ENTITY,
    NO_UPLOAD,
    NOTE,
    NOTE_TO_SEE,
    NOTHING,
    OBJECT,
    OBJECT_TO_COPY,
    OBJECT_TO_MOVE,
    OBJECT_VERSION,
    OBJECT_WITH_LINK,
    OWN_KEY,
    OWN_SESSION,
    PERSON,
    PLUGIN_FILE,
    PROPOSED_TEXT,
    PROSPECT,
    RUN,
    RUN_TO_CANCEL,
    SCREEN,
    SCRIPT,
    SOME_JOB,
    STARRABLE,
    STARRED,
    TEAM_ASSET,
    TEAM_LINK,
    TEAM_TOKEN,
    TOOL,
    TRASHED_NOTE,
    TRIGGER,
    WORKFLOW,
    Target,
    author_username,
    invitation,
    new_key,
    new_member,
    new_owner,
    new_username,
    no_preparation,
    own_team,
    own_workflow,
    resolve_values,
    with_console_texts,
    with_factor,
    without_assets,
    without_drafts,
    without_factor,
    without_keys,
    without_remote_jobs,
    without_triggers,
)
from tests.onboarding.help import document
from tests.support.world import PASSWORD


class Needs(msgspec.Struct, frozen=True):
    plane: str
    permission: str = ""


PUBLIC = Needs("public")
ANYONE = Needs("anyone with a credential")
OWN = Needs("one's own account")
HOST = Needs("the provisioning token")


def role(permission: str) -> Needs:
    """Only by role."""
    return Needs("role", permission)


def row(permission: str) -> Needs:
    """By role, ownership or grant."""
    return Needs("row", permission)


def company(permission: str) -> Needs:
    """By a role in the caller's own company, or as operator."""
    return Needs("company", permission)


def instance(permission: str) -> Needs:
    """By the operator flag."""
    return Needs("instance", permission)


class Case(msgspec.Struct, frozen=True):
    route: str
    """The name in the product's route table; a second row for the same route adds a query."""
    needs: Needs
    body: dict[str, Any] | None = None
    answer: Outcome = OK
    target: Target = NOTHING
    open: bool = False
    """Whether it also works in a suspended company and in a suspended tenant."""
    dry_run: bool = False
    """Whether it can be a read, by `dry_run` in its body: then suspension is checked last, by the write."""
    cached: str = ""
    """How its response can be cached, if it is the same for all callers."""
    side_effect: str = ""
    """The tables that even a read writes to: an export seals the rows that it contains, and metrics are gathered from all processes."""
    before: Callable[[Stage, Kind], Awaitable[None]] = no_preparation
    unknown_field: Outcome | None = None
    """The outcome of a body with an unknown field, if it is not 400 with the field in its detail."""
    shut: bool = False
    """Whether a suspended tenant does not even show it."""
    exceptions: dict[str, Outcome] = {}
    """Outcomes of callers that differ from what follows from their type."""

    @property
    def method(self) -> str:
        return self.route.split()[0]

    @property
    def path(self) -> str:
        return self.route.split()[1]

    @property
    def writes(self) -> bool:
        return self.method != "GET"

    async def request(self, stage: Stage, kind: Kind, named: str = "") -> Request:
        """Build this caller's request, about `named` or else a newly made target."""
        await self.before(stage, kind)
        body = None if self.body is None else await resolve_values(self.body, stage, kind)
        named = named or await self.target.make(stage, kind)
        path, _, query = self.path.partition("?")
        *values, last = named.split(" ")
        filled = re.sub(r"[:*]\w+", lambda _: values.pop(0) if values else last, path)
        return Request(self.method, filled, dict(parse_qsl(query)), body)


# fmt: off
_SIGN_IN   = {"username": author_username, "password": PASSWORD}
_FIRST     = {"username": "first", "password": PASSWORD}
_TENANT    = {"username": new_username}
_ACTIVATE  = {"token": invitation, "password": PASSWORD}
_PASSWORD  = {"current_password": PASSWORD, "new_password": PASSWORD}
_SHARE     = {"user_id": new_member, "permission": "notes:manage"}
_SHOW      = {"user_id": new_member, "permission": "notes:read"}
_TOKEN     = {"name": "Token", "scope": ["settings:manage"]}
_JOIN      = {"username": new_username, "role": "guest"}
_COLLEAGUE = {"username": new_username, "role": "guest", "team_id": own_team}
_NO_ROLE   = {"org_role": None}
_COMPANY   = {"name": "Company", "owner": new_owner}
_LIMIT     = {"dimension": "ai.requests", "limit": None, "window": "day"}
_TITLE     = {"title": "Title"}
_JOB       = {"kind": "ai.chat", "input": {"prompt": "Hello"}}
_SPEC      = {"slug": "published", "start": "find", "max_steps": 5,
              "steps": [{"id": "find", "kind": "tool", "tool": "search", "with": {"q": "isolation"}}]}
_PING      = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
_CHAT      = {"model": "default", "messages": [{"role": "user", "content": "Hello"}]}
_EXECUTOR  = {"name": new_username, "mode": "pull"}
_CLAIM     = {"claim_token": "x"}
_DONE      = {"result": {}, "claim_token": "x"}
_FAILED    = {"error": "no", "claim_token": "x"}
_GRANT     = {"principal_type": "user", "principal_id": new_member, "capability": "manage"}
_UNGRANT   = {"principal_type": "user", "principal_id": new_member}
_TRANSLATE = {"text": "Hello", "target": "de"}
_CATALOG   = {"catalog": {"a": "Hello"}, "target": "de"}
_TERM      = {"term": "file", "target": "de", "translation": "Datei"}
_ASSET     = {"filename": "a.png", "data": encoded(picture())}
_EXPERIENCE = document()
_SIGN_UP = {"fields": {"email": "x@example.org"}, "pow": "x"}
_TRIGGER   = {"workflow_slug": own_workflow}
_LOGO      = {"data": encoded(picture())}
_APPROVE   = {"decision": "approve"}

# Samples are notes: a token with the scope settings:manage alone cannot write them.
_NO_NOTES  = {"exact-token": forbidden("notes:write")}

CASES = (
    #    route                              needs                        body                     outcome
    Case("GET /",                           PUBLIC),
    Case("GET /index.html",                 PUBLIC),
    Case("GET /login",                      PUBLIC),
    Case("GET /activate",                   PUBLIC),
    Case("GET /app/*page",                  PUBLIC,                      target=SCREEN),
    Case("GET /frame",                      PUBLIC),
    Case("GET /assets/*path",               PUBLIC,                      target=SCRIPT,           cached=FOR_A_MINUTE),
    Case("GET /health",                     PUBLIC),
    Case("GET /ready",                      PUBLIC),
    Case("GET /api/config",                 PUBLIC),
    Case("GET /api/openapi.json",           PUBLIC,                                               cached=FOR_A_MINUTE),
    Case("GET /api/docs",                   PUBLIC,                                               cached=FOR_A_MINUTE),

    Case("GET /api/l10n/coverage",          role("localization:read"), before=with_console_texts),
    Case("GET /api/l10n/messages",          role("localization:read"),   None,                    NO_LOCALE, before=with_console_texts),
    Case("GET /api/l10n/messages?locale=de", role("localization:read"), before=with_console_texts),
    Case("GET /api/i18n/catalog",           PUBLIC,                                               cached=REVALIDATED),
    Case("PUT /api/l10n/messages/:id",      role("localization:translate"), {"text": "Notizen"},  OK, CONSOLE_TEXT),
    Case("POST /api/l10n/review/:id",       role("localization:review"), _APPROVE,                OK, PROPOSED_TEXT),
    Case("POST /api/l10n/discard",          role("localization:manage"), {"locale": "de"},        before=with_console_texts),
    Case("PUT /api/i18n",                   role("instance:manage"),     {"default_locale": "en", "switching": True}),
    Case("POST /api/l10n/import",           role("localization:manage"), {}, before=with_console_texts),
    Case("POST /api/l10n/export",           role("localization:manage"), {"locale": "en"},        before=with_console_texts),
    Case("POST /api/l10n/draft",            role("localization:manage"), {"locale": "de"},        ACCEPTED, before=with_console_texts),
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
    Case("POST /api/login/resume",          PUBLIC,                      None,                    NOT_JSON, open=True),
    Case("POST /api/logout",                ANYONE,                      None,                    CONFLICT, open=True, exceptions={"signed-in": EMPTY}),

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
    Case("GET /api/events",                 ANYONE),
    Case("GET /api/members?scope=org",      ANYONE,                      None,                    OK, COLLEAGUES),
    Case("PATCH /api/members/:id",          role("members:manage"),      {"role": "guest"},       OK, MEMBER),
    Case("DELETE /api/members/:id",         role("members:manage"),      None,                    EMPTY, MEMBER),
    Case("POST /api/members/:id/transfer",  role("members:manage"),      {"to": new_member},      OK, MEMBER),

    Case("GET /api/admin/status",           role("instance:manage")),
    Case("GET /api/metrics",                role("instance:manage"),                              side_effect="processes"),
    Case("POST /api/admin/seed",            role("settings:manage"),     None,                    CREATED, exceptions=_NO_NOTES),
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
    Case("GET /api/audit?format=jsonl",     role("settings:manage"),                              side_effect="audit"),
    Case("GET /api/audit?scope=instance",   role("settings:manage"),     None,                    OK, INSTANCE),
    Case("GET /api/org/audit",              company("org:read")),
    Case("GET /api/org/audit?format=jsonl", company("org:read"),                                  side_effect="audit"),

    Case("POST /api/ai/echo",               role("chat:use"),            {"prompt": "Hello"}),
    Case("POST /api/ai/chat",               role("chat:use"),            {"prompt": "Hello"},     dry_run=True),
    Case("POST /api/ai/chat/stream",        role("chat:use"),            {"prompt": "Hello"},     dry_run=True),
    Case("DELETE /api/ai/chat/stream/:id",  role("chat:use"),            None,                    HIDDEN, SOME_JOB, open=True),
    Case("POST /api/agent",                 role("chat:use"),            {"prompt": "Hello"},     dry_run=True),
    Case("POST /api/jobs",                  role("chat:use"),            _JOB,                    ACCEPTED),
    Case("GET /api/jobs",                   ANYONE),
    Case("GET /api/jobs/:id",               ANYONE,                      None,                    OK, JOB),
    Case("POST /api/jobs/:id/cancel",       ANYONE,                      None,                    OK, JOB_TO_CANCEL),
    Case("GET /api/executors",              ANYONE),
    Case("POST /api/executors",             role("instance:manage"),     _EXECUTOR,               CREATED),
    Case("DELETE /api/executors/:id",       role("instance:manage"),     None,                    EMPTY, EXECUTOR, open=True),
    Case("POST /api/org/executors",         company("org:manage"),       _EXECUTOR,               CREATED),
    Case("GET /api/model-roles",            ANYONE),
    Case("PUT /api/model-roles",            role("settings:manage"),     {"roles": {"chat": "local"}}),
    Case("GET /api/ai/model",               ANYONE),
    Case("POST /api/workers/claim",         role("jobs:execute"),        {},                      EMPTY, open=True, before=without_remote_jobs),
    Case("POST /api/workers/jobs/:id/heartbeat", role("jobs:execute"),   _CLAIM,                  STALE_CLAIM, SOME_JOB, open=True),
    Case("POST /api/workers/jobs/:id/complete",  role("jobs:execute"),   _DONE,                   STALE_CLAIM, SOME_JOB, open=True),
    Case("POST /api/workers/jobs/:id/fail",      role("jobs:execute"),   _FAILED,                 STALE_CLAIM, SOME_JOB, open=True),

    Case("POST /api/translate/catalog",     role("chat:use"),            _CATALOG,                dry_run=True),
    Case("POST /api/translate",             role("chat:use"),            _TRANSLATE,              dry_run=True),
    Case("GET /api/translate",              role("chat:use")),
    Case("POST /api/glossary",              role("settings:manage"),     _TERM),
    Case("GET /api/glossary",               role("chat:use")),
    Case("POST /v1/chat/completions",       role("chat:use"),            _CHAT),
    Case("GET /v1/models",                  role("chat:use")),
    Case("POST /mcp",                       ANYONE,                      _PING),
    Case("GET /api/mcp",                    ANYONE),

    Case("GET /api/doc-triggers",           role("workflows:read")),
    Case("POST /api/doc-triggers",          role("workflows:write"),     _TRIGGER,                CREATED, before=without_triggers),
    Case("GET /api/doc-triggers/:id",       role("workflows:read"),      None,                    OK, TRIGGER),
    Case("PATCH /api/doc-triggers/:id",     role("workflows:write"),     {"enabled": False},      OK, TRIGGER),
    Case("DELETE /api/doc-triggers/:id",    role("workflows:write"),     None,                    EMPTY, TRIGGER),
    Case("POST /api/workflows",             role("workflows:write"),     _SPEC,                   CREATED, unknown_field=INVALID_SPEC),
    Case("POST /api/workflows?validate=1",  role("workflows:write"),     _SPEC,                   unknown_field=OK),
    Case("GET /api/workflows",              role("workflows:read")),
    Case("GET /api/workflows/schema",       PUBLIC),
    Case("GET /api/workflows/:slug",        role("workflows:read"),      None,                    OK, WORKFLOW),
    Case("POST /api/workflows/:slug/run",   role("workflows:run"),       {"input": {}},           ACCEPTED, WORKFLOW, dry_run=True),
    Case("GET /api/runs",                   role("workflows:read")),
    Case("GET /api/runs/:id",               role("workflows:read"),      None,                    OK, RUN),
    Case("POST /api/runs/:id/cancel",       role("workflows:run"),       None,                    OK, RUN_TO_CANCEL),

    Case("GET /api/usage",                  ANYONE),
    Case("GET /api/usage/history",          ANYONE),
    Case("POST /api/quota",                 role("instance:manage"),     _LIMIT),
    Case("GET /api/features",               ANYONE),
    Case("GET /api/plugins",                ANYONE),
    Case("GET /api/oop",                    ANYONE),
    Case("PUT /api/oop/:id/grants",         role("instance:manage"),     {"capabilities": []},    HIDDEN, SOME_JOB),
    Case("GET /api/x/:plugin/bundle/*path", ANYONE,                      target=PLUGIN_FILE),
    Case("GET /beta-sdk.js",                PUBLIC,                                               cached=FOR_A_MINUTE),
    Case("GET /beta/template",              PUBLIC),
    Case("GET /api/beta/config",            PUBLIC,                                               shut=True),
    Case("OPTIONS /api/beta/config",        PUBLIC,                      None,                    EMPTY),
    Case("OPTIONS /api/beta/challenge",     PUBLIC,                      None,                    EMPTY),
    Case("OPTIONS /api/beta/signup",        PUBLIC,                      None,                    EMPTY),
    Case("GET /api/beta/experience",        role("settings:manage")),
    Case("GET /api/beta/experience?preview=1", role("settings:manage")),
    Case("PUT /api/beta/experience",        role("settings:manage"),     _EXPERIENCE),
    Case("POST /api/beta/experience/publish", role("settings:manage"),   None,                    NO_DRAFT, before=without_drafts),
    Case("POST /api/beta/assets",           role("settings:manage"),     _ASSET,                  CREATED, before=without_assets),
    Case("GET /api/beta/assets",            role("settings:manage")),
    Case("GET /api/beta/asset/:id",         PUBLIC,                      None,                    OK, ASSET, cached=FOR_GOOD),
    Case("DELETE /api/beta/asset/:id",      role("settings:manage"),     None,                    EMPTY, TEAM_ASSET),
    Case("GET /api/beta/challenge",         PUBLIC,                                               shut=True),
    Case("POST /api/beta/signup",           PUBLIC,                      _SIGN_UP,                Outcome(400, "invalid_request"), shut=True),
    Case("GET /api/beta/prospects",         role("settings:manage")),
    Case("POST /api/beta/prospects/:id/decide", role("settings:manage"), {"decision": "decline"}, OK, PROSPECT),
    Case("DELETE /api/beta/prospects/:id",  role("settings:manage"),     None,                    EMPTY, PROSPECT),
    Case("POST /api/beta/experience/replay", role("settings:manage"),    {"judge_prompt": "x"}),
    Case("GET /beta/bundle/:plugin/*path",  PUBLIC,                      None,                    HIDDEN, PLUGIN_FILE),
    Case("GET /api/x/example-tools/word-count",  role("chat:use"),       None,                    NO_TEXT),
    Case("POST /api/x/example-tools/word-count", role("chat:use"),       {"text": "Hello"}),
    Case("GET /api/x/integrator-demo/eta",  role("chat:use"),            None,                    USER_ERROR),
    Case("POST /api/x/integrator-demo/eta", role("chat:use"),            {"lane": "hamburg-oslo"}),
    Case("GET /api/tools",                  ANYONE),
    Case("POST /api/tools/:name",           role("settings:manage"),     {"enabled": True},       OK, TOOL),
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
    Case("GET /api/trash",                  ANYONE),
    Case("POST /api/trash/:id/restore",     ANYONE,                      {},                      OK, TRASHED_NOTE),
    Case("DELETE /api/trash/:id",           ANYONE,                      None,                    EMPTY, TRASHED_NOTE),
    Case("DELETE /api/trash",               ANYONE,                      None,                    OK),
    Case("POST /api/notes/:id/share",       row("notes:manage"),         _SHARE,                  OK, NOTE),
    Case("GET /api/notes/:id/grants",       row("notes:manage"),         None,                    OK, NOTE),
    Case("GET /api/notes/:id/grants?effective=1", row("notes:manage"),   None,                    OK, NOTE),

    Case("POST /api/conversations",         role("chat:use"),            {"title": "Talk"},       CREATED),
    Case("GET /api/conversations",          row("chat:use")),
    Case("GET /api/conversations/:id",      row("chat:use"),             None,                    OK, CONVERSATION),
    Case("PATCH /api/conversations/:id",    row("chat:use"),             {"title": "Changed"},    OK, CONVERSATION_TO_CONTINUE),
    Case("DELETE /api/conversations/:id",   row("chat:use"),             None,                    EMPTY, CONVERSATION_TO_MANAGE),
    Case("POST /api/conversations/:id/share", row("chat:use"),           _SHOW,                   OK, CONVERSATION_TO_MANAGE),
    Case("GET /api/conversations/:id/grants", row("chat:use"),           None,                    OK, CONVERSATION_TO_MANAGE),
    Case("GET /api/conversations/:id/grants?effective=1", row("chat:use"), None,                  OK, CONVERSATION_TO_MANAGE),

    Case("POST /api/documents",             role("files:write"),         {"title": "Text"},       CREATED),
    Case("GET /api/documents",              row("files:read")),
    Case("GET /api/documents/:id",          row("files:read"),           None,                    OK, OBJECT),
    Case("PUT /api/documents/:id",          row("files:write"),          {"title": "Changed"},    OK, OBJECT),
    Case("DELETE /api/documents/:id",       row("files:delete"),         None,                    EMPTY, OBJECT),

    Case("GET /api/repo",                   row("files:read")),
    Case("GET /api/repo?delimiter=/",       row("files:read")),
    Case("GET /api/repo?delimiter=/&facts=1", row("files:read")),
    Case("PUT /api/repo/*key",              row("files:write"),          None,                    CREATED, NEW_KEY),
    Case("GET /api/repo-obj/:id",           row("files:read"),           None,                    OK, OBJECT),
    Case("DELETE /api/repo-obj/:id",        row("files:delete"),         None,                    EMPTY, OBJECT),
    Case("GET /api/repo-obj/:id/content",   row("files:read"),           None,                    OK, OBJECT),
    Case("GET /api/repo-obj/:id/content?as=text", row("files:read"),     None,                    OK, OBJECT),
    Case("GET /api/repo-obj/:id/thumbnail", row("files:read"),           None,                    HIDDEN, OBJECT),
    Case("GET /api/repo-obj/:id/address",   row("files:read"),           None,                    OK, OBJECT),
    # Addresses of others, and those that have ended: tests/repository/test_addresses.py.
    Case("GET /api/repo-media/:address",    PUBLIC,                      None,                    HIDDEN, NO_ADDRESS),
    Case("POST /api/repo-obj/:id/presign",  row("files:read"),           {},                      CONFLICT, OBJECT, open=True, before=without_keys),
    Case("POST /api/repo-obj/:id/share",    row("files:manage"),         _GRANT,                  OK, OBJECT),
    Case("POST /api/repo-obj/:id/unshare",  row("files:manage"),         _UNGRANT,                OK, OBJECT),
    Case("GET /api/repo-obj/:id/grants",    row("files:manage"),         None,                    OK, OBJECT),
    Case("GET /api/repo-obj/:id/grants?effective=1", row("files:manage"), None,                   OK, OBJECT),
    Case("POST /api/repo-obj/:id/visibility", row("files:manage"),       {"visibility": "private"}, OK, OBJECT),
    Case("POST /api/repo-obj/:id/move",     row("files:write"),          {"key": new_key},        OK, OBJECT_TO_MOVE),
    Case("POST /api/repo-obj/:id/copy",     row("files:read"),           {"key": new_key},        CREATED, OBJECT_TO_COPY),
    Case("POST /api/repo-zip",              row("files:read"),           {"prefixes": ["nothing/"]}, open=True),
    Case("POST /api/repo-zip/list",         row("files:read"),           {"prefixes": ["nothing/"]}, open=True),
    Case("POST /api/repo-zip/form",         PUBLIC,                      None,                    HIDDEN, open=True),
    Case("GET /api/repo-obj/:id/links",     row("files:manage"),         None,                    OK, OBJECT),
    Case("POST /api/repo-obj/:id/links",    row("files:manage"),         {"name": "Printer"},     CREATED, OBJECT, exceptions={"exact-token": out_of_scope("files:read")}),
    Case("DELETE /api/repo-obj/:id/links/:link", row("files:manage"),    None,                    EMPTY, OBJECT_WITH_LINK, open=True),
    Case("PATCH /api/repo-obj/:id/links/:link", row("files:manage"),     {"name": "Printer"},     OK, OBJECT_WITH_LINK, exceptions={"exact-token": out_of_scope("files:read")}),
    Case("GET /api/links",                  role("settings:manage")),
    Case("DELETE /api/links/:id",           role("settings:manage"),     None,                    EMPTY, TEAM_LINK, open=True),
    Case("GET /api/org/links",              company("org:manage")),
    Case("DELETE /api/org/links/:id",       company("org:manage"),       None,                    EMPTY, COMPANY_LINK, open=True),
    Case("GET /s/:token",                   PUBLIC,                      None,                    OK, LINK, open=True, side_effect="object_links audit"),
    Case("POST /s/:token",                  PUBLIC,                      None,                    Outcome(303), LINK, open=True),
    Case("GET /s/:token/content",           PUBLIC,                      None,                    OK, LINK, open=True, side_effect="object_links audit"),
    Case("GET /api/repo-obj/:id/derivations", row("files:read"),         None,                    OK, OBJECT),
    Case("GET /api/repo-obj/:id/processing", row("files:read"),          None,                    OK, OBJECT),
    Case("PATCH /api/repo-obj/:id/versions/:number", row("files:write"), {"name": "First"},       OK, OBJECT_VERSION),
    # Uploads are their owner's alone: tests/isolation/foreign.py has those of others, tests/repository one's own.
    Case("POST /api/repo-uploads",          row("files:write"),          {"key": new_key},        CREATED, NEW_UPLOAD),
    Case("GET /api/repo-uploads/:id/parts", row("files:write"),          None,                    HIDDEN, NO_UPLOAD),
    Case("PUT /api/repo-uploads/:id/parts", row("files:write"),          None,                    NO_NUMBER, NO_UPLOAD),
    Case("PUT /api/repo-uploads/:id/parts?number=1", row("files:write"), None,                    HIDDEN, NO_UPLOAD),
    Case("POST /api/repo-uploads/:id/complete", row("files:write"),      {"size": 1},             HIDDEN, NO_UPLOAD),
    Case("DELETE /api/repo-uploads/:id",    row("files:write"),          None,                    HIDDEN, NO_UPLOAD),
    Case("GET /api/share-targets",          role("files:read")),

    Case("GET /api/references",             ANYONE,                      None,                    NO_TARGET),
    Case("GET /api/mentions",               ANYONE),
    Case("GET /api/activity",               ANYONE),
    Case("GET /api/shared",                 ANYONE),
    Case("PUT /api/presence/:kind/:id",     ANYONE,                      {"editing": True},       OK, NOTE_TO_SEE),
    Case("DELETE /api/presence/:kind/:id",  ANYONE,                      None,                    EMPTY, NOTE_TO_SEE),
    Case("GET /api/favourites",             OWN),
    Case("PUT /api/favourites/:kind/:id",   OWN,                         None,                    EMPTY, STARRABLE),
    Case("DELETE /api/favourites/:kind/:id", OWN,                        None,                    EMPTY, STARRED),
    Case("GET /api/recents",                OWN),
    Case("PUT /api/recents/:kind/:id",      OWN,                         None,                    EMPTY, STARRABLE),
    Case("GET /api/search",                 role("search"),              None,                    EMPTY_QUERY),
    Case("GET /api/search?q=isolation",     role("search")),

    Case("GET /api/kg/entities",            row("files:read")),
    Case("GET /api/kg/entities?q=isolation", row("files:read")),
    Case("GET /api/kg/entities/:id",        row("files:read"),           None,                    OK, ENTITY),
    Case("POST /api/kg/extract",            role("workflows:run"),       {},                      ACCEPTED, dry_run=True),
    Case("POST /api/kg/entities/:id/merge", role("workflows:write"),     {"into": "x"},           HIDDEN, NO_ENTITY),
    Case("POST /api/kg/entities/:id/split", role("workflows:write"),     {"mentions": ["x"], "name": "x"}, HIDDEN, NO_ENTITY),
)
# fmt: on

BY_ROUTE = {case.route: case for case in CASES}


def expected(case: Case, kind: Kind, *, hosted: bool) -> Outcome:
    """Return the expected outcome; `hosted` means a stage that the provider has suspended."""
    if case.shut and hosted:
        return TENANT_SUSPENDED
    rule_outcome = case.target.rule(kind, case.needs.permission)
    late = _suspension(case.needs, kind, hosted=hosted) if case.dry_run else None
    return gate_outcome(case, kind, hosted=hosted) or rule_outcome or late or default_outcome(case, kind)


def gate_outcome(case: Case, kind: Kind, *, hosted: bool) -> Outcome | None:
    """Return the refusal of the gate, if any. Order of checks: credential, scope, tenant, company, permission."""
    needs = case.needs
    if needs is PUBLIC:
        return None
    if needs is HOST:
        return _host_gate_outcome(kind, hosted=hosted)
    if kind.credential in INVALID:
        return TOKEN_EXPIRED if kind.credential in (EXPIRED, IDLE) else UNAUTHENTICATED
    if not _in_scope(needs, kind):
        return out_of_scope(needs.permission)
    if case.writes and not (case.open or case.dry_run) and (suspension := _suspension(needs, kind, hosted=hosted)):
        return suspension
    if kind.credential is WORKER and needs.permission != "jobs:execute":
        return FORBIDDEN
    return None if _has_permission(needs, kind) else forbidden(needs.permission)


def default_outcome(case: Case, kind: Kind) -> Outcome:
    return case.exceptions.get(kind.name, case.answer)


def _host_gate_outcome(kind: Kind, *, hosted: bool) -> Outcome | None:
    """Without a provider the routes do not exist; with one, only the provisioning token is accepted."""
    if not hosted:
        return HIDDEN
    return None if kind.credential is PROVISION else UNAUTHENTICATED


def _in_scope(needs: Needs, kind: Kind) -> bool:
    """A limited credential has only its scope, and never reaches its owner's account."""
    if needs is OWN:
        return kind.credential not in LIMITED
    return not needs.permission or needs.permission in scope(kind, needs.permission)


def _suspension(needs: Needs, kind: Kind, *, hosted: bool) -> Outcome | None:
    """A suspended tenant refuses everyone; a suspended company does not refuse operators on instance routes."""
    if hosted:
        return TENANT_SUSPENDED
    administers = needs.plane == "instance" and "operator" in kind.roles
    return ORG_SUSPENDED if kind.team is SUSPENDED and not administers else None


def _has_permission(needs: Needs, kind: Kind) -> bool:
    if needs.plane == "instance":
        return "operator" in kind.roles
    if needs.plane == "company" and "operator" in kind.roles:
        return True
    return needs.plane not in ("role", "company") or needs.permission in held(kind.roles)
