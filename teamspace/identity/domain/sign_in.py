"""Proving who one is by password, at a pace that guessing cannot afford.

A failure is counted before the password is looked at, in a commit of its own, so that a hundred
guesses at once get no more hashes than the limit allows. Success takes the count back.
"""

from math import ceil

import msgspec

from teamspace.core import clock
from teamspace.core.addresses import neighbourhood
from teamspace.core.db import Db, Tx
from teamspace.core.errors import InvalidCredentials, TooManyAttempts, TotpRequired
from teamspace.core.principal import Principal
from teamspace.identity import store
from teamspace.identity.domain import accounts, passwords, second_factor
from teamspace.identity.schemas import Person

WINDOW = 15 * clock.MINUTE
PER_USERNAME, PER_ADDRESS = 5, 30


class Proof(msgspec.Struct, frozen=True):
    """A right password: whose, and which counts of failures it settles."""

    person: Person
    by_name: str
    by_address: str


async def prove(db: Db, who: Principal, username: str, password: str, code: str | None) -> Proof:
    """The right password, and a code at hand where one will be needed; else a refusal."""
    by_name = f"user:{accounts.username_key(username)[:64]}"
    by_address = f"address:{neighbourhood(who.call.address)}"
    await _count(db, who, by_name, by_address)
    account = await store.get_account_by_name(db, accounts.username_key(username))
    if not await passwords.matches(account.password if account else None, password) or account is None:
        raise InvalidCredentials
    proof = Proof(accounts.person(account), by_name, by_address)
    if code is None and await second_factor.armed(db, account.id):
        async with db.upkeep(who) as tx:
            await store.uncount_attempt(tx, by_name)
            await store.uncount_attempt(tx, by_address)
        raise TotpRequired
    return proof


async def settle(tx: Tx, proof: Proof) -> None:
    """The sign-in succeeded: its person starts with a clean sheet, its address loses one failure."""
    await store.forget_attempts(tx, proof.by_name)
    await store.uncount_attempt(tx, proof.by_address)


async def _count(db: Db, who: Principal, by_name: str, by_address: str) -> None:
    now, resets_at = clock.stamp(), clock.later(WINDOW)
    async with db.upkeep(who) as tx:
        counts = [
            (await store.count_attempt(tx, by_name, now, resets_at), PER_USERNAME),
            (await store.count_attempt(tx, by_address, now, resets_at), PER_ADDRESS),
        ]
    for attempts, most in counts:
        if attempts and attempts.failures > most:
            wait = max(1, ceil(clock.seconds(attempts.resets_at) - clock.now()))
            raise TooManyAttempts("Too many failed sign-ins: wait before trying again.", wait)
