"""Sessions and API tokens. Only digests are stored; a revoked token stays revoked."""

import logging
from functools import partial
from math import inf

import msgspec
from msgspec import UNSET

from teamspace.core import clock, crypto, paging, text
from teamspace.core.db import BATCH, Db, Tx, in_batches
from teamspace.core.errors import BadRequest, Conflict, NotFound, OutOfScope
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal, ScopeEntry, system
from teamspace.core.replies import Page
from teamspace.identity import access, store
from teamspace.identity.schemas import ApiToken, IssuedToken, NewToken, Session, Stay, TokenUse

log = logging.getLogger("teamspace.identity")
SESSION_TTL, SESSION_IDLE = 30 * clock.DAY, clock.DAY
MAX_SESSIONS = 10
FIRST_TOKEN_TTL = DEFAULT_TTL = 90 * clock.DAY
LAST_USE_INTERVAL = clock.MINUTE
_KEEP_ENDED = 30 * clock.DAY
_WITH_PREFIX = ("files:", "workflows:")


async def open_session(
    tx: Tx, *, user_id: str, org_id: str, team_id: str, given_by: str | None = None, stay: Stay | None = None
) -> tuple[str, str, str]:
    """Open a session; returns its id, token and expiry. `given_by` is who else chose the password.

    One of a kept sign-in ends with it, and began with it too: it is no proof that the person was there just now.
    """
    expires_at = clock.later(SESSION_TTL) if stay is None else min(clock.later(SESSION_TTL), stay.expires_at)
    token_id, token = await insert(
        tx, "session", org_id, team_id, user_id, "session", None, expires_at, given_by=given_by, stay=stay
    )
    await end_oldest(tx, user_id)
    if stay is not None:
        await store.revoke_oldest_of_stay(tx, stay.id, MAX_SESSIONS, clock.stamp())
    await store.touch_users(tx, [TokenUse(token_id, clock.stamp())])
    return token_id, token, expires_at


async def end_oldest(tx: Tx, user_id: str) -> None:
    await store.revoke_oldest_sign_ins(tx, user_id, MAX_SESSIONS, clock.stamp())
    await store.revoke_with_stays(tx, user_id, clock.stamp())


async def issue_token(
    tx: Tx, *, user_id: str, org_id: str, team_id: str, name: str, scope: list[str] | None, ttl: float | None,
    given_by: str | None = None, minted: bool = False,
) -> IssuedToken:  # fmt: skip
    """Issue an API token. `given_by` is who else sees it; `minted` means that it is made with another credential."""
    expires_at = None if ttl is None else clock.later(ttl)
    token_id, token = await insert(
        tx, "api", org_id, team_id, user_id, name, scope, expires_at, given_by=given_by, minted=minted
    )
    return IssuedToken(id=token_id, name=name, token=token, scope=scope, expires_at=expires_at)


async def issue_worker_token(tx: Tx, *, org_id: str, team_id: str, name: str) -> tuple[str, str]:
    """Issue a token without a person, for jobs only, until it is revoked; returns its id and the token."""
    return await insert(tx, "worker", org_id, team_id, None, name, None, None)


async def revoke_token(tx: Tx, token_id: str) -> None:
    """Revoke a token; the caller has checked access."""
    await store.revoke_one(tx, token_id, clock.stamp())


async def create(db: Db, who: Principal, draft: NewToken) -> IssuedToken:
    """Create a token with at most the caller's current permissions."""
    name = text.clean_name(draft.name, "name", max_length=80)
    scope = validate_scope(who, draft.scope)
    async with db.write(who, "token.create", lock=("user", who.user_id)) as tx:
        issued = await issue_token(
            tx, user_id=who.user_id, org_id=who.org_id, team_id=who.team_id, name=name, scope=scope,
            ttl=_ttl(who, draft), given_by=who.given_by, minted=True,
        )  # fmt: skip
        tx.target, tx.detail = issued.id, {"scope": scope, "expires_at": issued.expires_at}
    return issued


def _ttl(who: Principal, draft: NewToken) -> float | None:
    """Return the requested or default time to live; a scoped token cannot create one that outlives it."""
    left = inf if who.scope is None or who.expires_at is None else clock.seconds(who.expires_at) - clock.now()
    if draft.ttl is UNSET:
        return min(DEFAULT_TTL, left)
    requested = inf if draft.ttl == "never" else float(draft.ttl)
    if requested > left:
        raise OutOfScope("tokens.outlives")
    return None if requested == inf else requested


async def list_tokens(db: Db, who: Principal, query: paging.Paging) -> Page[ApiToken]:
    rows = await store.select_tokens(db, access.team_tokens_fence(who), query.before, query.size + 1)
    return paging.page(rows, query, lambda token: token.id)


async def revoke(db: Db, who: Principal, token_id: str) -> None:
    async with db.write(who, "token.revoke") as tx:
        tx.target = token_id
        if not await store.revoke(tx, access.team_tokens_fence(who), token_id, clock.stamp()):
            raise NotFound()


async def list_sessions(db: Db, who: Principal) -> list[Session]:
    rows = await store.select_sessions(db, access.own_sign_ins_fence(who), clock.stamp(), clock.ago(SESSION_IDLE))
    current = await store.get_stay_id(db, who.token_id) or who.token_id
    return [Session(**msgspec.structs.asdict(row), current=row.id == current) for row in rows]


async def end_session(db: Db, who: Principal, token_id: str) -> None:
    async with db.write(who, "session.end", lock=("user", who.user_id)) as tx:
        tx.target = token_id
        if not await store.revoke(tx, access.own_sign_ins_fence(who), token_id, clock.stamp()):
            raise NotFound()
        await store.revoke_with_stays(tx, who.user_id, clock.stamp())


async def sign_out(db: Db, who: Principal) -> None:
    """End the session; if the browser keeps the person signed in, that ends with all its sessions."""
    if who.kind != "session":
        raise Conflict("tokens.only_sessions")
    await end_session(db, who, await store.get_stay_id(db, who.token_id) or who.token_id)


async def end_sessions(tx: Tx, user_id: str, *, keep: str = "") -> None:
    """End all other sessions and all kept sign-ins: what is kept was proved in a way that no longer counts."""
    await store.detach_from_stay(tx, keep)
    await store.revoke_sessions(tx, user_id, keep, clock.stamp())


async def revoke_in_team(tx: Tx, user_id: str, team_id: str) -> None:
    """Revoke all credentials of a person for a team they leave."""
    await store.revoke_in_team(tx, user_id, team_id, clock.stamp())
    await store.revoke_with_stays(tx, user_id, clock.stamp())


def parse_scope(entry: str) -> ScopeEntry:
    """Parse a scope entry such as `notes:read`, or `files:read:contracts/` with a key prefix."""
    for permission in Permission:
        if entry == permission:
            return ScopeEntry(permission)
        if entry.startswith(f"{permission}:") and permission.startswith(_WITH_PREFIX):
            return ScopeEntry(permission, entry[len(permission) + 1 :])
    raise BadRequest.at("/scope", "tokens.scope", entry=entry[:80])


def validate_scope(who: Principal, scope: list[str] | None) -> list[str] | None:
    """Return the scope for storage, or raise OutOfScope if it exceeds the caller's permissions."""
    entries = None if scope is None else [parse_scope(entry) for entry in scope]
    _check_permissions(who, entries)
    return None if entries is None else [str(entry) for entry in entries]


def _check_permissions(who: Principal, entries: list[ScopeEntry] | None) -> None:
    if entries is None:
        if who.scope is not None:
            raise OutOfScope("tokens.needs_scope")
        return
    for entry in entries:
        if not who.has_permission(entry.permission, entry.prefix) or entry.permission is Permission.JOBS_EXECUTE:
            raise OutOfScope("tokens.cannot_give", permission=str(entry))


async def insert(
    tx: Tx, kind: str, org_id: str, team_id: str, user_id: str | None, name: str, scope: list[str] | None,
    expires_at: str | None, *, given_by: str | None = None, minted: bool = False, stay: Stay | None = None,
) -> tuple[str, str]:  # fmt: skip
    """Insert a credential; returns its id and the token, of which only the digest is stored."""
    token_id, token, now = new_id(), crypto.new_token("k" if kind == "stay" else kind[0]), clock.stamp()
    await store.insert_token(
        tx, id=token_id, kind=kind, org_id=org_id, team_id=team_id, user_id=user_id, name=name,
        digest=crypto.digest(token), hint=token[:9],
        created_at=stay.created_at if stay else now, expires_at=expires_at, stay_id=stay.id if stay else None,
        # Signing in is the first use of a session; its idle time starts then.
        last_used_at=now if kind in ("session", "stay") else None,
        scope=None if scope is None else msgspec.json.encode(scope).decode(),
        address=tx.who.call.address, agent=agent_of(tx), given_by=given_by, minted=minted,
    )  # fmt: skip
    return token_id, token


def agent_of(tx: Tx) -> str:
    return text.one_line(tx.who.call.agent, max_length=200)


class LastUse:
    """Collects when credentials were used, and saves that periodically, so that reads do not wait for a write."""

    def __init__(self) -> None:
        self._used: dict[str, str] = {}

    def record(self, token_id: str) -> None:
        self._used.setdefault(token_id, clock.stamp())

    async def save(self, db: Db) -> None:
        used, self._used = [TokenUse(*use) for use in self._used.items()], {}
        for start in range(0, len(used), BATCH):
            some = used[start : start + BATCH]
            async with db.maintenance(system(), rights_unchanged=True) as tx:
                await store.lock_used(tx, [use.id for use in some])
                await store.touch(tx, some)
                await store.touch_users(tx, some)


_EXPIRED = (
    (store.delete_old_tokens, _KEEP_ENDED),
    (store.delete_old_attempts, 0),
    (store.delete_old_activations, _KEEP_ENDED),
    (store.delete_old_networks, _KEEP_ENDED),
)
"""What is deleted, and how long after it expired."""


async def delete_expired_credentials(db: Db) -> None:
    """Delete old credentials, links and known networks, and counts of failures whose window is over."""
    for delete, keep in _EXPIRED:
        try:
            await in_batches(db, partial(delete, then=clock.ago(keep)))
        except Exception:
            log.exception("%s failed; it will be retried", delete.__name__)
