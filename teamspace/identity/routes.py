"""Identity over HTTP: one's own second factor, password and sessions, and the team's API tokens."""

from teamspace.core.db import Db
from teamspace.core.errors import Conflict, InvalidCredentials, ReauthRequired, TooManyAttempts, TotpInvalid
from teamspace.core.paging import Paging
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Created, Page
from teamspace.core.routing import BEARER, OWN, SMALL_LIMIT, Route
from teamspace.identity.domain import accounts, disabling, second_factor, tokens
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

# fmt: off
ROUTES = (
    Route("POST",   "/api/2fa/enable",            BEARER, OWN,               None, "enable_totp",    "Turn the second factor on; secret and recovery codes are shown this once. A token from /api/tokens sends the password, too.",
          refuses=(Conflict, TotpInvalid, ReauthRequired, TooManyAttempts), while_suspended=True),
    Route("POST",   "/api/2fa/recovery-codes",    BEARER, OWN,               None, "renew_codes",    "A fresh set of recovery codes; the old ones stop working. A token from /api/tokens sends password or code, too.",
          refuses=(Conflict, ReauthRequired, TooManyAttempts), while_suspended=True),
    Route("GET",    "/api/2fa/recovery-codes",    BEARER, OWN,               None, "count_codes",    "How many recovery codes are unspent."),
    Route("DELETE", "/api/2fa",                   BEARER, OWN,               None, "disable_totp",   "Turn one's own second factor off, with the password, a code or a fresh sign-in.",
          refuses=(Conflict, ReauthRequired, TooManyAttempts), while_suspended=True),
    Route("DELETE", "/api/admin/users/:id/2fa",   BEARER, P.INSTANCE_MANAGE, None, "revoke_totp",    "Take a person's second factor away, so that they enrol anew.",
          while_suspended=True),
    Route("POST",   "/api/password",              BEARER, OWN,               None, "change_password", "Change one's own password; every other session ends, and every credential that others made for one.",
          refuses=(InvalidCredentials, ReauthRequired, TooManyAttempts), while_suspended=True, limit=SMALL_LIMIT),
    Route("POST",   "/api/tokens",                BEARER, P.SETTINGS_MANAGE, None, "create_token",   "Issue an API token, with a scope and a time to live; it is shown this once."),
    Route("GET",    "/api/tokens",                BEARER, P.SETTINGS_MANAGE, None, "list_tokens",    "The team's API tokens."),
    Route("DELETE", "/api/tokens/:id",            BEARER, P.SETTINGS_MANAGE, None, "revoke_token",   "Revoke an API token of the team.",
          while_suspended=True),
    Route("POST",   "/api/logout",                BEARER, None,              None, "sign_out",       "End the session this request was made with.",
          refuses=(Conflict,), while_suspended=True),
    Route("GET",    "/api/sessions",              BEARER, OWN,               None, "list_sessions",  "One's own live sessions."),
    Route("DELETE", "/api/sessions/:id",          BEARER, OWN,               None, "end_session",    "End one of one's own sessions.",
          while_suspended=True),
    Route("PATCH",  "/api/admin/users/:id",       BEARER, P.INSTANCE_MANAGE, None, "disable_user",   "Disable a person, which ends every credential of theirs, or enable them again.",
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
    await second_factor.turn_off(db, who, body)


async def revoke_totp(db: Db, who: Principal, id: str) -> None:
    await second_factor.revoke(db, who, id)


async def disable_user(db: Db, who: Principal, id: str, body: Disabling) -> AccountStatus:
    return await disabling.change(db, who, id, disabled=body.disabled)


async def change_password(db: Db, who: Principal, body: PasswordChange) -> None:
    await accounts.change_password(db, who, body)


async def create_token(db: Db, who: Principal, body: NewToken) -> Created[IssuedToken]:
    return Created(await tokens.create(db, who, body))


async def list_tokens(db: Db, who: Principal, query: Paging) -> Page[ApiToken]:
    return await tokens.listing(db, who, query)


async def revoke_token(db: Db, who: Principal, id: str) -> None:
    await tokens.revoke(db, who, id)


async def sign_out(db: Db, who: Principal) -> None:
    await tokens.sign_out(db, who)


async def list_sessions(db: Db, who: Principal) -> Page[Session]:
    return Page(await tokens.sessions(db, who), None)


async def end_session(db: Db, who: Principal, id: str) -> None:
    await tokens.end_session(db, who, id)
