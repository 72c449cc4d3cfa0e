"""S3 access keys: a public id, and a secret that signs requests and is only shown once."""

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

MAX_KEYS = 50
_ID_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_SECRET_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


async def issue(db: Db, who: Principal, name: str, scope: list[str] | None) -> IssuedKey:
    """Create a key with at most the caller's current permissions."""
    name = text.clean_name(name, "name", max_length=80)
    entries = tokens.validate_scope(who, scope)
    key_id, secret, id = _random("TS", _ID_ALPHABET, 18), _random("", _SECRET_ALPHABET, 40), new_id()
    async with db.write(who, "access_key.create", lock=("user", who.user_id)) as tx:
        if len(await store.select_access_keys(tx, access.own_keys_fence(who))) >= MAX_KEYS:
            raise Conflict("access_keys.limit", limit=MAX_KEYS)
        tx.target, tx.detail = id, {"access_key_id": key_id, "scope": entries}
        await store.insert_token(
            tx, id=id, kind="s3", org_id=who.org_id, team_id=who.team_id, user_id=who.user_id, name=name,
            digest=crypto.digest(key_id), secret=tx.vault.encrypt(encryption_context(id), secret.encode()), hint=key_id,
            created_at=clock.stamp(), expires_at=None, last_used_at=None,
            scope=None if entries is None else msgspec.json.encode(entries).decode(), address=who.call.address,
            agent=text.one_line(who.call.agent, max_length=200), given_by=who.given_by, minted=True,
        )  # fmt: skip
    return IssuedKey(id, name, key_id, secret, entries)


def _random(prefix: str, alphabet: str, length: int) -> str:
    return prefix + "".join(secrets.choice(alphabet) for _ in range(length))


async def list_keys(db: Reads, who: Principal) -> list[AccessKey]:
    """List the caller's keys for their team, newest first."""
    return await store.select_access_keys(db, access.own_keys_fence(who))


async def revoke(db: Db, who: Principal, id: str) -> None:
    async with db.write(who, "access_key.revoke") as tx:
        tx.target = id
        if not await store.revoke(tx, access.own_keys_fence(who), id, clock.stamp()):
            raise NotFound()


async def get_newest(db: Reads, who: Principal) -> tuple[AccessKey, str]:
    """Return the caller's newest key with its secret, to sign a link."""
    keys = await list_keys(db, who)
    encrypted = await store.get_secret(db, access.own_keys_fence(who), keys[0].id) if keys else None
    if not keys or encrypted is None:
        raise Conflict("access_keys.none")
    return keys[0], decrypt_secret(db, keys[0].id, encrypted)


def decrypt_secret(db: Reads, id: str, encrypted: str) -> str:
    return db.vault.decrypt(encryption_context(id), encrypted).decode()


def encryption_context(id: str) -> str:
    return f"tokens|secret|{id}"
