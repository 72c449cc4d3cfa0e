"""Activation links: a person without a password can set one, once."""

from teamspace.core import clock, crypto
from teamspace.core.db import Reads, Tx
from teamspace.core.errors import BadRequest, InvalidCredentials, TokenExpired
from teamspace.identity import store
from teamspace.identity.domain import accounts, passwords
from teamspace.identity.schemas import Person

LINK_TTL = 7 * clock.DAY


class InvalidLink(InvalidCredentials):
    """The link is not valid. The same error if it was used, replaced or never existed."""

    key = "activation.link"


async def create_activation_link(tx: Tx, person: Person, address: str) -> str:
    """Create a link; older ones stop working. The token is in the fragment, which browsers do not send to servers."""
    account = await store.get_account(tx, person.id)
    if account is None or account.password is not None:
        raise BadRequest("activation.has_password")
    if account.disabled_at is not None:
        raise BadRequest("activation.disabled")
    token = crypto.new_token("v")
    await store.void_activations(tx, person.id, clock.stamp())
    await store.insert_activation(tx, crypto.digest(token), person, clock.stamp(), clock.later(LINK_TTL))
    return f"{address}/activate#{token}"


async def find_invited(db: Reads, token: str) -> Person:
    """Return the person of a valid link."""
    activation = await store.get_activation(db, crypto.digest(token)) if crypto.is_well_formed(token) else None
    account = await store.get_account(db, activation.user_id) if activation else None
    if activation is None or account is None or activation.used_at is not None or account.disabled_at:
        raise InvalidLink
    if activation.expires_at <= clock.stamp():
        raise TokenExpired
    return accounts.to_person(account)


async def hash_first_password(person: Person, password: str) -> str:
    """Check and hash the password, before the link is used."""
    await passwords.check_strength(password, hints=(person.username, person.display_name))
    return await passwords.hash_password(password)


async def redeem_link(tx: Tx, person: Person, token: str, password_hash: str) -> None:
    """Use the link and set the password; of two concurrent requests only one succeeds."""
    if not await store.use_activation(tx, crypto.digest(token), clock.stamp()):
        raise InvalidLink
    await accounts.set_password(tx, person.id, password_hash)
