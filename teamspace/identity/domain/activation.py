"""Activation: a link that lets somebody without a password set their first one, once."""

from teamspace.core import clock, crypto
from teamspace.core.db import Reads, Tx
from teamspace.core.errors import BadRequest, InvalidCredentials, TokenExpired
from teamspace.identity import store
from teamspace.identity.domain import accounts, passwords
from teamspace.identity.schemas import Person

LINK_LIFE = 7 * clock.DAY


class DeadLink(InvalidCredentials):
    """Says the same of a link that was used, replaced or never made."""

    def __init__(self) -> None:
        super().__init__("This activation link is not valid, or was used before: ask for a new one.")


async def invite(tx: Tx, person: Person, address: str) -> str:
    """A link for them; older ones stop working. The token travels in the fragment, which no server gets to see."""
    account = await store.get_account(tx, person.id)
    if account is None or account.password is not None:
        raise BadRequest("They have a password already: an activation link sets the first one.")
    if account.disabled_at is not None:
        raise BadRequest("They are disabled: enable them first.")
    token = crypto.new_token("v")
    await store.void_activations(tx, person.id, clock.stamp())
    await store.insert_activation(tx, crypto.digest(token), person, clock.stamp(), clock.later(LINK_LIFE))
    return f"{address}/activate#{token}"


async def invited(db: Reads, token: str) -> Person:
    """Whom a live link was made for."""
    activation = await store.get_activation(db, crypto.digest(token)) if crypto.well_formed(token) else None
    account = await store.get_account(db, activation.user_id) if activation else None
    if activation is None or account is None or activation.used_at is not None or account.disabled_at:
        raise DeadLink
    if activation.expires_at <= clock.stamp():
        raise TokenExpired
    return accounts.person(account)


async def prepare(person: Person, password: str) -> str:
    """The password's hash, before the link is spent on one that is too weak."""
    await passwords.check_strength(password, hints=(person.username, person.display_name))
    return await passwords.hashed(password)


async def redeem(tx: Tx, person: Person, token: str, password_hash: str) -> None:
    """Spend the link and set the password; of two who come at once the second finds it used."""
    if not await store.use_activation(tx, crypto.digest(token), clock.stamp()):
        raise DeadLink
    await accounts.set_password(tx, person.id, password_hash)
