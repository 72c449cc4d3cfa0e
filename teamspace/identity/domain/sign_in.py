"""Proving who one is by password, at a pace that guessing cannot afford."""

import msgspec

from teamspace.core.addresses import neighbourhood
from teamspace.core.db import Db, Tx
from teamspace.core.errors import InvalidCredentials, TotpRequired
from teamspace.core.principal import Principal
from teamspace.identity import store
from teamspace.identity.domain import accounts, passwords, second_factor, throttle
from teamspace.identity.schemas import Person

PER_USERNAME, PER_ADDRESS = 5, 30


class Proof(msgspec.Struct, frozen=True):
    """A right password: whose, and which counts of failures it settles."""

    person: Person
    password_hash: str | None
    by_name: str
    by_address: str


async def prove(db: Db, who: Principal, username: str, password: str, code: str | None) -> Proof:
    """The right password, and a code at hand where one will be needed; else a refusal."""
    by_name = f"user:{accounts.username_key(username)[:64]}"
    by_address = f"address:{neighbourhood(who.call.address)}"
    await throttle.count(db, who, {by_name: PER_USERNAME, by_address: PER_ADDRESS})
    account = await store.get_account_by_name(db, accounts.username_key(username))
    if not await passwords.matches(account.password if account else None, password) or account is None:
        raise InvalidCredentials
    proof = Proof(accounts.person(account), account.password, by_name, by_address)
    if code is None and await second_factor.armed(db, account.id):
        await excuse(db, who, proof)
        raise TotpRequired
    return proof


async def excuse(db: Db, who: Principal, proof: Proof) -> None:
    """The password was right and something else was missing: that is not a failure."""
    async with db.upkeep(who) as tx:
        await store.uncount_attempt(tx, proof.by_name)
        await store.uncount_attempt(tx, proof.by_address)


async def settle(tx: Tx, proof: Proof) -> None:
    """The sign-in succeeds, unless the password was changed meanwhile: its person starts with a clean sheet."""
    account = await store.get_account(tx, proof.person.id)
    if account is None or account.password != proof.password_hash:
        raise InvalidCredentials
    await store.forget_attempts(tx, proof.by_name)
    await store.uncount_attempt(tx, proof.by_address)
