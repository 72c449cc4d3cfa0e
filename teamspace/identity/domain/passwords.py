"""Passwords: argon2id, a few at a time, at the same price for a person who exists and one who does not."""

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from teamspace.core import pools
from teamspace.core.errors import BadRequest

KDF = "argon2id"
SHORTEST, MOST_BYTES = 12, 1024
_TOO_FEW_GUESSES = 1_000_000
_JUDGED_LENGTH = 32
"""How much of it is judged: 10^6 guesses are passed long before, and every further character costs."""
_LOOK_ALIKES, _MOST_LOOK_ALIKES = frozenset("@({[<!|$+%"), 3
"""Signs that zxcvbn reads as letters. Every further one multiplies the readings: with three the worst takes 0.12 s."""

hasher = PasswordHasher(time_cost=3, memory_cost=64 * 1024, parallelism=1)


async def check_strength(password: str, *, hints: tuple[str, ...] = (), field: str = "password") -> None:
    """Refuse a password that is short, huge, or among the first that anybody would try."""
    if len(password) < SHORTEST:
        raise BadRequest.at(f"/{field}", f"must have at least {SHORTEST} characters")
    if len(password.encode()) > MOST_BYTES:
        raise BadRequest.at(f"/{field}", f"may hold {MOST_BYTES} bytes")
    if await pools.STRENGTH.run(_guesses, password, hints) < _TOO_FEW_GUESSES:
        raise BadRequest.at(f"/{field}", "is too easy to guess: use several unrelated words")


async def hashed(password: str) -> str:
    return await pools.PASSWORDS.run(hasher.hash, password)


async def matches(stored: str | None, password: str) -> bool:
    """Whether it is the password. Without a stored one the same work is done, for an answer that is no."""
    return await pools.PASSWORDS.run(_verify, stored, password)


@cache
def _nobody() -> str:
    return hasher.hash("nobody has this password")


def _verify(stored: str | None, password: str) -> bool:
    try:
        return hasher.verify(stored or _nobody(), password) and stored is not None
    except (VerificationError, InvalidHashError):
        return False


def _guesses(password: str, hints: tuple[str, ...]) -> float:
    # Costs 14 MiB, and is needed only when a password is set.
    from zxcvbn import zxcvbn  # noqa: PLC0415

    return float(zxcvbn(_judged(password), user_inputs=[*hints, "teamspace"])["guesses"])


def _judged(password: str) -> str:
    """Its beginning; signs beyond the first few that could be letters are taken for nothing but signs."""
    text = password[:_JUDGED_LENGTH]
    signs = dict.fromkeys(sign for sign in text if sign in _LOOK_ALIKES)
    return text.translate({ord(sign): "~" for sign in list(signs)[_MOST_LOOK_ALIKES:]})
