"""Passwords: argon2id, a few at a time; verification takes the same time whether or not the person exists."""

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from teamspace.core import pools
from teamspace.core.errors import BadRequest

KDF = "argon2id"
MIN_LENGTH, MAX_BYTES = 12, 1024
_MIN_GUESSES = 1_000_000
_RATED_LENGTH = 32
"""How many characters zxcvbn rates: 10^6 guesses are reached long before, and each further character takes time."""
_LOOK_ALIKES, _MAX_LOOK_ALIKES = frozenset("@({[<!|$+%"), 3
"""Characters that zxcvbn reads as letters. Each one multiplies its work: with three the worst case takes 0.12 s."""

hasher = PasswordHasher(time_cost=3, memory_cost=64 * 1024, parallelism=1)


async def check_strength(password: str, *, hints: tuple[str, ...] = (), field: str = "password") -> None:
    """Refuse a password that is too short, too long or easy to guess."""
    if len(password) < MIN_LENGTH:
        raise BadRequest.at(f"/{field}", "password.too_short", limit=MIN_LENGTH)
    if len(password.encode()) > MAX_BYTES:
        raise BadRequest.at(f"/{field}", "value.max_bytes", limit=MAX_BYTES)
    if await pools.STRENGTH.run(_guesses, password, hints) < _MIN_GUESSES:
        raise BadRequest.at(f"/{field}", "password.weak")


async def hash_password(password: str) -> str:
    return await pools.PASSWORDS.run(hasher.hash, password)


async def matches(stored: str | None, password: str) -> bool:
    """Return whether the password is right. Without a stored hash, does the same work and returns False."""
    return await pools.PASSWORDS.run(_verify, stored, password)


@cache
def _dummy_hash() -> str:
    return hasher.hash("nobody has this password")


def _verify(stored: str | None, password: str) -> bool:
    try:
        return hasher.verify(stored or _dummy_hash(), password) and stored is not None
    except (VerificationError, InvalidHashError):
        return False


def _guesses(password: str, hints: tuple[str, ...]) -> float:
    # Imported late: it takes 14 MiB, and is needed only when a password is set.
    from zxcvbn import zxcvbn  # noqa: PLC0415

    return float(zxcvbn(_rated_text(password), user_inputs=[*hints, "teamspace"])["guesses"])


def _rated_text(password: str) -> str:
    """Return the beginning of the password, with all but a few look-alikes replaced, to bound the work of zxcvbn."""
    text = password[:_RATED_LENGTH]
    look_alikes = dict.fromkeys(character for character in text if character in _LOOK_ALIKES)
    return text.translate({ord(character): "~" for character in list(look_alikes)[_MAX_LOOK_ALIKES:]})
