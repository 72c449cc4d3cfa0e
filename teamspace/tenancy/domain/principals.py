"""Turn tokens into principals, and check again in each write that the caller may still write."""

import contextlib
from collections.abc import Sequence
from math import inf

import msgspec

from teamspace import identity
from teamspace.core import clock, crypto
from teamspace.core.db import Db, Guard, Reads, Tx
from teamspace.core.errors import Forbidden, NotFound, OrgSuspended, TenantSuspended, TokenExpired, Unauthenticated
from teamspace.core.permissions import Permission
from teamspace.core.principal import Call, Kind, Principal, Scope, ScopeEntry, intersect
from teamspace.tenancy import store
from teamspace.tenancy.domain import roles
from teamspace.tenancy.schemas import CredentialRow, TeamBucket, WriterState

RIGHTS_TABLES = frozenset({"tokens", "users", "memberships", "org_roles", "orgs", "teams", "instance"})
"""The tables a principal is read from."""
_MAX_CACHED = 10_000
_BUCKET_PREFIX = "team-"
_KINDS: dict[str, Kind] = {"session": "session", "api": "api", "s3": "s3"}


class CachedCaller(msgspec.Struct):
    """A cached principal, when its credential expires, and from when its next use is recorded."""

    principal: Principal
    expires_at: float
    record_use_from: float
    secret: str = ""
    """The secret of an S3 access key, to verify signatures."""
    bucket: str = ""


class CallerCache:
    """Turns tokens into principals, and caches them for reads until the rights epoch changes.

    A change by this process applies to the next request. A change by another process applies to the next write, which
    reads the epoch from the database first, and to reads within a second.
    """

    def __init__(self, last_use: identity.LastUse, *, hosted: bool = False) -> None:
        self._last_use = last_use
        self._hosted = hosted
        self._tokens: dict[str, CachedCaller] = {}
        self._keys: dict[str, CachedCaller] = {}
        """By the id of an S3 access key, which is public: apart from tokens, where knowing the name is the proof."""
        self._epoch: tuple[int, str] = (-1, "")

    async def identify(self, db: Db, token: str, call: Call, *, fresh: bool) -> Principal:
        # A cached token has passed the check of its form.
        if token not in self._tokens and not crypto.is_well_formed(token):
            raise Unauthenticated()
        return self.record_use(await self._find(db, self._tokens, token, fresh=fresh), call)

    async def find_key(self, db: Db, key_id: str, *, fresh: bool) -> CachedCaller:
        """Return an access key. Its use is not recorded, since the signature is not verified yet."""
        caller = await self._find(db, self._keys, key_id, fresh=fresh)
        if not caller.secret:
            raise Unauthenticated()
        return caller

    async def _find(self, db: Db, cache: dict[str, CachedCaller], token: str, *, fresh: bool) -> CachedCaller:
        epoch = await db.rights_epoch(fresh=fresh)
        if epoch != self._epoch:
            self._tokens.clear()
            self._keys.clear()
            self._epoch = epoch
        caller = cache.get(token)
        # A cached session that looks idle may have been used since, by this or another process.
        if caller is None or clock.now() >= caller.expires_at:
            caller = await _look_up(db, token, hosted=self._hosted)
            # A row read while the epoch changed may be outdated: use it for this request only.
            if epoch == self._epoch:
                if len(cache) >= _MAX_CACHED:
                    cache.clear()
                cache[token] = caller
        return caller

    def record_use(self, caller: CachedCaller, call: Call) -> Principal:
        """Return the principal for this call and record the use, or raise TokenExpired."""
        now = clock.now()
        if now >= caller.expires_at:
            raise TokenExpired
        if now >= caller.record_use_from:
            self._last_use.record(caller.principal.token_id)
            caller.record_use_from = now + identity.LAST_USE_INTERVAL
        return msgspec.structs.replace(caller.principal, call=call)


async def get_callers(db: Db, token_ids: Sequence[str], *, hosted: bool) -> dict[str, CachedCaller]:
    """Return the callers of those credentials that are valid now, by the credential's id."""
    callers: dict[str, CachedCaller] = {}
    for credential in await store.select_credentials(db, token_ids):
        with contextlib.suppress(Unauthenticated):
            caller = _to_caller(db, credential, hosted=hosted)
            if clock.now() < caller.expires_at:
                callers[credential.id] = caller
    return callers


async def _look_up(db: Db, token: str, *, hosted: bool) -> CachedCaller:
    credential = await store.get_credential(db, crypto.digest(token))
    if credential is None:
        raise Unauthenticated()
    return _to_caller(db, credential, hosted=hosted)


def _to_caller(db: Db, credential: CredentialRow, *, hosted: bool) -> CachedCaller:
    if credential.revoked_at is not None or credential.disabled_at is not None:
        raise Unauthenticated()
    principal = _worker_principal(credential) if credential.kind == "worker" else _person_principal(credential)
    if hosted and credential.tenant_suspended:
        principal = msgspec.structs.replace(principal, tenant_suspended=True)
    # The first use of a credential is always recorded.
    used_at = clock.seconds(credential.last_used_at) if credential.last_used_at else -inf
    caller = CachedCaller(principal, _expires_at(credential, used_at), used_at + identity.LAST_USE_INTERVAL)
    if credential.secret is not None:
        caller.secret = identity.access_keys.decrypt_secret(db, credential.id, credential.secret)
        caller.bucket = _bucket_name(credential.team_slug)
    return caller


async def get_bucket(db: Reads, team_id: str) -> TeamBucket:
    """Return the S3 bucket of a team."""
    team = await store.get_team(db, team_id)
    if team is None:
        raise NotFound()
    return TeamBucket(_bucket_name(team.slug), team.created_at)


def _bucket_name(slug: str) -> str:

    return f"{_BUCKET_PREFIX}{slug}"


def looks_like_bucket(path: str) -> bool:
    """Whether a path starts like a bucket name; the bucket may not exist."""
    return path.startswith(_BUCKET_PREFIX)


def _expires_at(credential: CredentialRow, used_at: float) -> float:
    """Return when the credential expires, or the session becomes idle for too long."""
    expiry = clock.seconds(credential.expires_at) if credential.expires_at else inf
    return min(expiry, used_at + identity.SESSION_IDLE) if credential.kind == "session" else expiry


def _person_principal(credential: CredentialRow) -> Principal:
    if credential.role is None or credential.user_id is None:
        raise Unauthenticated()
    operator = bool(credential.operator)
    return Principal(
        kind=_KINDS[credential.kind],
        call=Call(),
        user_id=credential.user_id,
        username=credential.username or "",
        locale=credential.locale,
        team_id=credential.team_id,
        org_id=credential.org_id,
        token_id=credential.id,
        operator=operator,
        role=credential.role,
        org_role=credential.org_role,
        permissions=roles.get_permissions(credential.role, credential.org_role, operator=operator),
        scope=_parse_scope(credential),
        features=frozenset(credential.features),
        org_suspended=credential.suspended_at is not None,
        signed_in_at=credential.created_at if credential.kind == "session" else None,
        expires_at=credential.expires_at,
        minted=credential.minted,
        given_by=credential.given_by,
    )


async def act_for(
    db: Reads, call: Call, user_id: str, team_id: str, *, scope: Scope | None = None, limited_by: str | None = None
) -> Principal:
    """Return the principal of a person with their current rights, for work on their behalf without a credential.

    `scope` limits it as it would limit a token. With `limited_by` it has only the permissions that this other member
    has too. Without the request's idempotency key, which belongs to the original caller.
    """
    person = await _member(db, user_id, team_id)
    if limited_by is not None:
        shared = sorted((await _member(db, limited_by, team_id)).permissions)
        scope = intersect(scope, tuple(ScopeEntry(permission) for permission in shared))
    return msgspec.structs.replace(person, scope=scope, call=msgspec.structs.replace(call, claim=None))


def without_credential(who: Principal, call: Call) -> Principal:
    """Return what `act_for` would for a caller whose rights were just checked, without reading them again."""
    return msgspec.structs.replace(
        who, kind="api", call=call, token_id="", signed_in_at=None, expires_at=None, minted=False, given_by=None
    )


async def act_for_team(db: Reads, call: Call, team_id: str) -> Principal:
    """Return a principal without a person and without permissions, for work that no member of the team requested."""
    team = await store.get_team_state(db, team_id)
    if team is None:
        raise Unauthenticated()
    return Principal(
        "anonymous", msgspec.structs.replace(call, claim=None), team_id=team_id, org_id=team.org_id,
        features=frozenset(team.features), org_suspended=team.suspended,
    )  # fmt: skip


async def _member(db: Reads, user_id: str, team_id: str) -> Principal:
    credential = await db.recall(
        ("member", user_id, team_id), lambda: store.get_member_credential(db, user_id, team_id)
    )  # fmt: skip
    if credential is None:
        raise Unauthenticated()
    return _person_principal(credential)


def write_guard(*, hosted: bool) -> Guard:
    """Return the check that runs in every write: the credential is still valid, the person is still in the team and has
    lost no permission since the gate, and company and tenant are not suspended.

    The rows are read and locked in the write's own transaction, so that a removal, revocation or suspension happens
    entirely before or after the write. Where there is one writer at a time, they are read again only after a change of
    rights. An upload can take hours between the gate and this check.
    """

    async def check(tx: Tx) -> None:
        if not tx.org_id:
            return
        person = tx.who.user_id if tx.who.kind in _KINDS else ""
        credential = tx.who.token_id if person or tx.who.kind == "worker" else ""
        await store.check_writer(
            tx, person, credential, lambda state: _verify_writer(tx.who, person, state), hosted=hosted
        )

    return check


def _verify_writer(who: Principal, person: str, state: WriterState | None) -> None:
    """Raise unless the caller may write; without a `person`, whatever rights they have."""
    call = who.call
    if state is None or state.revoked:
        raise Unauthenticated()
    if state.expires_at is not None and state.expires_at <= clock.stamp():
        raise TokenExpired
    if person:
        _check_rights(who, state)
    if state.tenant_suspended and not call.while_suspended:
        raise TenantSuspended
    if state.suspended_at is not None and not (call.while_suspended or call.instance_plane):
        raise OrgSuspended


def _check_rights(who: Principal, state: WriterState) -> None:
    """Refuse the write if the person lost a permission since the gate checked the request."""
    if (state.role, state.org_role, state.operator) == (who.role, who.org_role, who.operator):
        return
    now = roles.get_permissions(state.role, state.org_role, operator=bool(state.operator))
    if lost := sorted(permission for permission in who.permissions - now if who.in_scope(permission)):
        raise Forbidden("rights.lost", permissions=", ".join(lost))


def _worker_principal(credential: CredentialRow) -> Principal:
    return Principal(
        "worker", Call(), team_id=credential.team_id, org_id=credential.org_id, token_id=credential.id,
        permissions=roles.WORKER_TOKEN, scope=(ScopeEntry(Permission.JOBS_EXECUTE),),
        org_suspended=credential.suspended_at is not None,
    )  # fmt: skip


def _parse_scope(credential: CredentialRow) -> tuple[ScopeEntry, ...] | None:
    return None if credential.scope is None else tuple(identity.parse_scope(entry) for entry in credential.scope)
