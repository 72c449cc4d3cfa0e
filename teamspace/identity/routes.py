"""HTTP routes of identity: the caller's second factor, password and sessions, and the team's API tokens."""

from teamspace.core.db import Db
from teamspace.core.errors import Conflict, InvalidCredentials, ReauthRequired, TooManyAttempts, TotpInvalid
from teamspace.core.paging import Paging
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Created, NoContent, Page
from teamspace.core.routing import BEARER, OWN, SMALL_LIMIT, Route
from teamspace.identity.domain import accounts, disabling, second_factor, stay_cookie, tokens
from teamspace.identity.schemas import (
    AccountStatus,
    ApiToken,
    Disabling,
    EnableTotp,
    IssuedToken,
    NewToken,
    PasswordChange,
    Proof,
    RecoveryCodes,
    RecoveryCount,
    Session,
    TotpSecret,
)
from teamspace.settings import Settings

# fmt: off
ROUTES = (
    Route("POST",   "/api/2fa/enable",            BEARER, OWN,               None, "enable_totp",    "Turn on the second factor; secret and recovery codes are only shown once. With a token from /api/tokens, also send the password.",
          refuses=(Conflict, TotpInvalid, ReauthRequired, TooManyAttempts), while_suspended=True),
    Route("POST",   "/api/2fa/recovery-codes",    BEARER, OWN,               None, "renew_codes",    "Create new recovery codes; the old ones stop working. With a token from /api/tokens, also send the password or a code.",
          refuses=(Conflict, ReauthRequired, TooManyAttempts), while_suspended=True),
    Route("GET",    "/api/2fa/recovery-codes",    BEARER, OWN,               None, "count_codes",    "Count the unused recovery codes."),
    Route("DELETE", "/api/2fa",                   BEARER, OWN,               None, "disable_totp",   "Turn off your own second factor; needs the password, a code or a recent sign-in.",
          refuses=(Conflict, ReauthRequired, TooManyAttempts), while_suspended=True),
    Route("DELETE", "/api/admin/users/:id/2fa",   BEARER, P.INSTANCE_MANAGE, None, "revoke_totp",    "Remove a person's second factor, so that they can set up a new one.",
          while_suspended=True),
    Route("POST",   "/api/password",              BEARER, OWN,               None, "change_password", "Change your own password; ends all other sessions and credentials that others created for you.",
          refuses=(InvalidCredentials, ReauthRequired, TooManyAttempts), while_suspended=True, limit=SMALL_LIMIT),
    Route("POST",   "/api/tokens",                BEARER, P.SETTINGS_MANAGE, None, "create_token",   "Create an API token with a scope and a time to live; it is only shown once."),
    Route("GET",    "/api/tokens",                BEARER, P.SETTINGS_MANAGE, None, "list_tokens",    "List the team's API tokens."),
    Route("DELETE", "/api/tokens/:id",            BEARER, P.SETTINGS_MANAGE, None, "revoke_token",   "Revoke an API token of the team.",
          while_suspended=True),
    Route("POST",   "/api/logout",                BEARER, None,              None, "sign_out",       "End the session this request was made with; if the browser keeps the person signed in, that ends too.",
          refuses=(Conflict,), while_suspended=True),
    Route("GET",    "/api/sessions",              BEARER, OWN,               None, "list_sessions",  "List your own active sessions, and browsers that keep you signed in."),
    Route("DELETE", "/api/sessions/:id",          BEARER, OWN,               None, "end_session",    "End one of your own sessions, or a browser that keeps you signed in with all its sessions.",
          while_suspended=True),
    Route("PATCH",  "/api/admin/users/:id",       BEARER, P.INSTANCE_MANAGE, None, "disable_user",   "Disable a person, which revokes all their credentials, or enable them again.",
          refuses=(Conflict,), while_suspended=True),
)
# fmt: on


async def enable_totp(db: Db, who: Principal, body: EnableTotp) -> TotpSecret:
    return await second_factor.enable(db, who, body)


async def renew_codes(db: Db, who: Principal, body: Proof) -> RecoveryCodes:
    return await second_factor.renew_codes(db, who, body)


async def count_codes(db: Db, who: Principal) -> RecoveryCount:
    return await second_factor.count_codes(db, who)


async def disable_totp(db: Db, who: Principal, body: Proof) -> None:
    await second_factor.disable(db, who, body)


async def revoke_totp(db: Db, who: Principal, id: str) -> None:
    await second_factor.revoke(db, who, id)


async def disable_user(db: Db, who: Principal, id: str, body: Disabling) -> AccountStatus:
    return await disabling.set_disabled(db, who, id, disabled=body.disabled)


async def change_password(db: Db, who: Principal, body: PasswordChange) -> None:
    await accounts.change_password(db, who, body)


async def create_token(db: Db, who: Principal, body: NewToken) -> Created[IssuedToken]:
    return Created(await tokens.create(db, who, body))


async def list_tokens(db: Db, who: Principal, query: Paging) -> Page[ApiToken]:
    return await tokens.list_tokens(db, who, query)


async def revoke_token(db: Db, who: Principal, id: str) -> None:
    await tokens.revoke(db, who, id)


async def sign_out(db: Db, who: Principal, settings: Settings) -> NoContent[None]:
    await tokens.sign_out(db, who)
    return NoContent(None, headers=stay_cookie.forget(settings))


async def list_sessions(db: Db, who: Principal) -> Page[Session]:
    return Page(await tokens.list_sessions(db, who), None)


async def end_session(db: Db, who: Principal, id: str) -> None:
    await tokens.end_session(db, who, id)
