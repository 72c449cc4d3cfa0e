"""S3 access keys: an id that everybody may see, and a secret that signs and is shown once."""

import secrets

import msgspec

from teamspace.core import clock, crypto, text
from teamspace.core.db import Db, Reads
from teamspace.core.errors import Conflict, NotFound
from teamspace.core.ids import new_id
from teamspace.core.principal import Principal
from teamspace.identity import access, store
from teamspace.identity.domain import tokens
from teamspace.identity.schemas import AccessKey, IssuedKey

MOST_KEYS = 50
_ID_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_SECRET_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


async def issue(db: Db, who: Principal, name: str, scope: list[str] | None) -> IssuedKey:
    """A key that can do no more than its maker can at this moment."""
    name = text.name(name, "name", most=80)
    entries = tokens.checked_scope(who, scope)
    key_id, secret, id = _random("TS", _ID_LETTERS, 18), _random("", _SECRET_LETTERS, 40), new_id()
    async with db.write(who, "access_key.create", alone=("user", who.user_id)) as tx:
        if len(await store.select_access_keys(tx, access.own_keys(who))) >= MOST_KEYS:
            raise Conflict(f"There may be {MOST_KEYS} keys: revoke one that is not needed.")
        tx.target, tx.detail = id, {"access_key_id": key_id, "scope": entries}
        await store.insert_token(
            tx, id=id, kind="s3", org_id=who.org_id, team_id=who.team_id, user_id=who.user_id, name=name,
            digest=crypto.digest(key_id), secret=tx.vault.seal(place(id), secret.encode()), hint=key_id,
            created_at=clock.stamp(), expires_at=None, last_used_at=None,
            scope=None if entries is None else msgspec.json.encode(entries).decode(), address=who.call.address,
            agent=text.line(who.call.agent, most=200), given_by=who.given_by, minted=True,
        )  # fmt: skip
    return IssuedKey(id, name, key_id, secret, entries)


def _random(prefix: str, letters: str, length: int) -> str:
    return prefix + "".join(secrets.choice(letters) for _ in range(length))


async def listing(db: Reads, who: Principal) -> list[AccessKey]:
    """One's own for this team, newest first."""
    return await store.select_access_keys(db, access.own_keys(who))


async def revoke(db: Db, who: Principal, id: str) -> None:
    async with db.write(who, "access_key.revoke") as tx:
        tx.target = id
        if not await store.revoke(tx, access.own_keys(who), id, clock.stamp()):
            raise NotFound()


async def newest(db: Reads, who: Principal) -> tuple[AccessKey, str]:
    """With its secret, for a link that is signed in its name."""
    keys = await listing(db, who)
    sealed = await store.get_secret(db, access.own_keys(who), keys[0].id) if keys else None
    if not keys or sealed is None:
        raise Conflict("There is no S3 access key to sign with: make one at POST /api/s3/credentials.")
    return keys[0], opened(db, keys[0].id, sealed)


def opened(db: Reads, id: str, sealed: str) -> str:
    return db.vault.open(place(id), sealed).decode()


def place(id: str) -> str:
    return f"tokens|secret|{id}"
