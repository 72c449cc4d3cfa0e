"""Accounts: create them, change profile and password."""

import re

from msgspec import UNSET, UnsetType

from teamspace.core import clock, text
from teamspace.core.db import Db, Duplicate, Reads, Tx
from teamspace.core.errors import BadRequest, Conflict, InvalidCredentials, NotFound
from teamspace.core.ids import new_id
from teamspace.core.principal import Principal
from teamspace.identity import store
from teamspace.identity.domain import passwords, proofs, tokens
from teamspace.identity.schemas import Account, PasswordChange, Person

_USERNAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{1,63}")
_EMAIL = re.compile(r"[^@\s\x00-\x1f\x7f]{1,64}@[^@\s\x00-\x1f\x7f.]+(\.[^@\s\x00-\x1f\x7f.]+)+")


class UsernameTaken(Conflict):
    """The username is in use. Usernames are unique in the instance."""

    key = "accounts.username_taken"


def username_key(username: str) -> str:
    """Return the username for comparison, which ignores case."""
    return username.lower()


async def register(
    tx: Tx, *, org_id: str, username: str, display_name: str | None, password_hash: str | None,
    email: str | None = None, operator: bool = False, path: str = "", password_by: str | None = None,
) -> Person:  # fmt: skip
    """Create an account. `path` is the prefix of these fields in the request body; `password_by` is who else chose the
    password."""
    pointer = f"/{path}username"
    if not _USERNAME.fullmatch(username):
        raise BadRequest.at(pointer, "accounts.username")
    person = Person(
        id=new_id(), org_id=org_id, username=username, email=_email(email), locale=None, time_zone=None,
        operator=operator, created_at=clock.stamp(),
        display_name=text.clean_name(display_name or username, f"{path}display_name", max_length=80),
    )  # fmt: skip
    try:
        await store.insert_user(tx, person, username_key(username), password_hash, password_by)
    except Duplicate:
        raise UsernameTaken(at=pointer) from None
    return person


def _email(address: str | None) -> str | None:
    if address is not None and not _EMAIL.fullmatch(address):
        raise BadRequest.at("/email", "accounts.email")
    return address


async def find_person(db: Reads, username: str) -> Person | None:
    account = await store.get_account_by_name(db, username_key(username))
    return account and to_person(account)


async def get_person(db: Reads, user_id: str) -> Person | None:
    """Return the person unless they are disabled."""
    account = await store.get_account(db, user_id)
    return None if account is None or account.disabled_at is not None else to_person(account)


def to_person(account: Account) -> Person:
    """Return the account without its password hash."""
    return Person(**{name: getattr(account, name) for name in Person.__struct_fields__})


async def update_profile(
    tx: Tx, user_id: str, *, display_name: str | None, locale: str | UnsetType | None, time_zone: str | UnsetType | None
) -> Person:
    """Change name, locale and time zone; UNSET keeps the current value, as None does for the name.

    The caller validates locale and time zone.
    """
    account = await store.get_account(tx, user_id)
    if account is None:
        raise NotFound()
    name = (
        account.display_name if display_name is None else text.clean_name(display_name, "display_name", max_length=80)
    )
    person = await store.update_profile(
        tx, user_id, display_name=name,
        locale=account.locale if locale is UNSET else locale,
        time_zone=account.time_zone if time_zone is UNSET else time_zone,
    )  # fmt: skip
    if person is None:
        raise NotFound()
    return person


async def set_password(tx: Tx, user_id: str, password_hash: str, *, keep: str = "") -> None:
    """Set a password that the person chose. Ends all other sessions, credentials that others may know, and links.

    `keep` is the id of the credential of this request.
    """
    await store.update_password(tx, user_id, password_hash, None)
    await store.void_activations(tx, user_id, clock.stamp())
    await tokens.end_sessions(tx, user_id, keep=keep)
    await store.revoke_given_by_others(tx, user_id, keep, clock.stamp())


async def replace_password(tx: Tx, user_id: str, password_hash: str, *, by: str) -> None:
    """Set a password that someone else chose, for a person who lost theirs; revokes all their credentials."""
    await store.update_password(tx, user_id, password_hash, by)
    await end_credentials(tx, user_id)


async def end_credentials(tx: Tx, user_id: str) -> None:
    """Revoke all sessions, tokens, access keys and activation links of a person."""
    await store.revoke_all(tx, user_id, clock.stamp())
    await store.void_activations(tx, user_id, clock.stamp())


async def change_password(db: Db, who: Principal, change: PasswordChange) -> None:
    account = await store.get_account(db, who.user_id)
    if account is None:
        raise NotFound()
    if account.password is None:
        await proofs.require_if_minted(db, who, password=None, code=change.code)
    elif not await proofs.check_password(db, who, account, change.current_password):
        raise InvalidCredentials
    hints = (account.username, account.display_name)
    await passwords.check_strength(change.new_password, hints=hints, field="new_password")
    password_hash = await passwords.hash_password(change.new_password)
    async with db.write(who, "password.change", lock=("user", who.user_id)) as tx:
        tx.target = who.user_id
        await set_password(tx, who.user_id, password_hash, keep=who.token_id)
