"""Proof of work: a challenge costs the visitor some computing time and the server almost nothing.

Nothing is stored until a solution is used. A challenge is an ALTCHA object (version 2), so that its stock widget and
solvers work. The server chooses the counter that solves it and signs the key that this derives: solving has an upper
bound, and verifying takes two MACs and no key derivation.
"""

import base64
import binascii
import secrets
from typing import Annotated

import altcha
import msgspec

from teamspace.core import clock
from teamspace.core.crypto import Vault
from teamspace.core.errors import BadRequest
from teamspace.onboarding.schemas.sign_ups import SpentWork, WorkChallenge

TTL = 10 * clock.MINUTE
MAX_PAYLOAD = 4096
"""Characters of a solution; a genuine one has about 900."""
ALGORITHM, COST = "PBKDF2/SHA-256", 1000
"""Browsers have this key derivation built in, also where they slow scripts down."""
MAX_DIFFICULTY = 8
_LOWEST, _HIGHEST = 40, 80
"""Where the counter of the easiest challenge lies. A slow phone tries some 100 in a second."""


class InvalidWork(BadRequest):
    """The proof of work does not count; the visitor can ask for another challenge."""


class _Parameters(msgspec.Struct, frozen=True, rename="camel"):
    algorithm: str
    nonce: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
    salt: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
    cost: int
    key_length: int
    key_prefix: str
    key_signature: str
    expires_at: int
    data: dict[str, str]


class _Challenge(msgspec.Struct, frozen=True):
    parameters: _Parameters
    signature: str


class _Solution(msgspec.Struct, frozen=True, rename="camel"):
    derived_key: str
    counter: int = 0
    time: float | None = None


class _Payload(msgspec.Struct, frozen=True):
    challenge: _Challenge
    solution: _Solution


_PAYLOADS = msgspec.json.Decoder(_Payload)


def create(vault: Vault, experience_id: str, origin: str, difficulty: int) -> WorkChallenge:
    """Return a challenge for one experience and one origin; a difficulty of 2 takes twice as long to solve."""
    difficulty = max(1, min(difficulty, MAX_DIFFICULTY))
    counter = _LOWEST * difficulty + secrets.randbelow((_HIGHEST - _LOWEST) * difficulty)
    created = altcha.create_challenge(
        ALGORITHM, COST, counter=counter, expires_at=int(clock.now()) + TTL,
        data={"x": experience_id, "o": origin, "d": str(difficulty)},
        hmac_secret=_signing_key(vault), hmac_key_secret=_solution_key(vault),
    )  # fmt: skip
    return msgspec.convert(created.to_dict(), WorkChallenge)


def verify(vault: Vault, payload: str, experience_id: str, origin: str) -> SpentWork:
    """Return what a solution proves, or raise InvalidWork. Whether it was used before is known to the database."""
    solved = _decode(payload)
    parameters = solved.challenge.parameters
    result = altcha.verify_solution(
        _to_library(solved), _signing_key(vault), hmac_key_secret=_solution_key(vault)
    )  # fmt: skip
    if result.expired or (not result.invalid_signature and parameters.expires_at <= clock.now()):
        raise InvalidWork.at("/pow", "onboarding.work_expired")
    if not result.verified:
        raise InvalidWork.at("/pow", "onboarding.work")
    if parameters.data.get("x") != experience_id or parameters.data.get("o") != origin:
        raise InvalidWork.at("/pow", "onboarding.work_elsewhere")
    return SpentWork(
        nonce=parameters.nonce, expires_at=clock.stamp(parameters.expires_at),
        difficulty=int(parameters.data["d"]), age=max(0.0, clock.now() - (parameters.expires_at - TTL)),
        solving=solved.solution.time,
    )  # fmt: skip


def _decode(payload: str) -> _Payload:
    if len(payload) > MAX_PAYLOAD:
        raise InvalidWork.at("/pow", "onboarding.work")
    try:
        return _PAYLOADS.decode(base64.b64decode(payload, validate=True))
    except (ValueError, binascii.Error, msgspec.DecodeError, RecursionError):
        raise InvalidWork.at("/pow", "onboarding.work") from None


def _to_library(solved: _Payload) -> altcha.Payload:
    """Only what the challenge declares: a text that decodes to the same values has the same signature."""
    challenge = altcha.Challenge.from_dict(msgspec.to_builtins(solved.challenge))
    solution = altcha.Solution(solved.solution.counter, solved.solution.derived_key, solved.solution.time)
    return altcha.Payload(challenge, solution)


def _signing_key(vault: Vault) -> bytes:
    return vault.mac("sign-up challenge", b"parameters")


def _solution_key(vault: Vault) -> bytes:
    return vault.mac("sign-up challenge", b"solution")
