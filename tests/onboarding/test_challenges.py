"""Proof of work: what the stock solver makes of our challenges, and what does not count."""

import base64
import json
from collections.abc import Callable
from typing import Any

import altcha
import msgspec
import pytest

from teamspace.core import clock
from teamspace.core.crypto import Vault
from teamspace.onboarding.domain import challenges
from teamspace.onboarding.domain.challenges import InvalidWork
from tests.onboarding.signing_up import easy

assert easy
VAULT, OTHER = Vault(b"k" * 32), Vault(b"o" * 32)


def solve(vault: Vault = VAULT, experience: str = "x1", origin: str = "teamspace.test") -> dict[str, Any]:
    """A solved challenge, by the solver of the library."""
    served = json.loads(msgspec.json.encode(challenges.create(vault, experience, origin, 1)))
    challenge = altcha.Challenge.from_dict(served)
    solution = altcha.solve_challenge(challenge)
    assert solution is not None
    return altcha.Payload(challenge, solution).to_dict()


def encode(payload: Any) -> str:
    return base64.b64encode(json.dumps(payload).encode()).decode()


@pytest.fixture
def solved(easy: None) -> dict[str, Any]:
    """Solved for each test, since it expires while the suite runs."""
    return solve()


def test_the_stock_solver_solves_what_we_serve() -> None:
    solved = solve()
    work = challenges.verify(VAULT, encode(solved), "x1", "teamspace.test")
    assert work.nonce == solved["challenge"]["parameters"]["nonce"]
    assert (work.difficulty, work.age >= 0, work.solving is not None) == (1, True, True)


@pytest.mark.parametrize(("difficulty", "lowest", "highest"), [(1, 40, 80), (3, 120, 240), (50, 320, 640)])
def test_a_difficulty_has_an_upper_bound(difficulty: int, lowest: int, highest: int) -> None:
    challenge = challenges.create(VAULT, "x1", "", difficulty)
    solution = altcha.solve_challenge(altcha.Challenge.from_dict(json.loads(msgspec.json.encode(challenge))))
    assert solution is not None and lowest <= solution.counter < highest


def test_a_challenge_counts_for_ten_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    solved = solve()
    payload, expires_at = encode(solved), solved["challenge"]["parameters"]["expiresAt"]
    assert expires_at == int(now + challenges.TTL)
    monkeypatch.setattr(clock, "now", lambda: expires_at - 1.0)
    assert challenges.verify(VAULT, payload, "x1", "teamspace.test").age == challenges.TTL - 1
    monkeypatch.setattr(clock, "now", lambda: expires_at + 0.0)
    with pytest.raises(InvalidWork) as refused:
        challenges.verify(VAULT, payload, "x1", "teamspace.test")
    assert refused.value.key == "onboarding.work_expired"


@pytest.mark.parametrize(("experience", "origin"), [("x2", "teamspace.test"), ("x1", "other.test"), ("x1", "")])
def test_a_challenge_counts_for_one_experience_and_one_origin(
    solved: dict[str, Any], experience: str, origin: str
) -> None:
    with pytest.raises(InvalidWork) as refused:
        challenges.verify(VAULT, encode(solved), experience, origin)
    assert refused.value.key == "onboarding.work_elsewhere"


def test_a_challenge_of_another_instance_does_not_count(solved: dict[str, Any]) -> None:
    with pytest.raises(InvalidWork) as refused:
        challenges.verify(OTHER, encode(solved), "x1", "teamspace.test")
    assert refused.value.key == "onboarding.work"


def _set(*path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(payload: dict[str, Any]) -> None:
        for name in path[:-1]:
            payload = payload[name]
        payload[path[-1]] = value(payload) if callable(value) else value

    return change


SPLICED = solve()["challenge"]["parameters"]
PARAMETERS = ("challenge", "parameters")


@pytest.mark.parametrize(
    "change",
    [
        _set(*PARAMETERS, "expiresAt", value=int(clock.now()) + 500_000),
        _set(*PARAMETERS, "expiresAt", value=None),
        _set(*PARAMETERS, "expiresAt", value="never"),
        _set(*PARAMETERS, "expiresAt", value=1e30),
        _set(*PARAMETERS, "nonce", value=SPLICED["nonce"]),
        _set(*PARAMETERS, "nonce", value=lambda parameters: parameters["nonce"].upper() + "00"),
        _set(*PARAMETERS, "salt", value=SPLICED["salt"]),
        _set(*PARAMETERS, "keySignature", value=SPLICED["keySignature"]),
        _set(*PARAMETERS, "keySignature", value=""),
        _set(*PARAMETERS, "keyPrefix", value=""),
        _set(*PARAMETERS, "cost", value=1),
        _set(*PARAMETERS, "data", value={"x": "x2", "o": "teamspace.test", "d": "1"}),
        _set(*PARAMETERS, "data", value={}),
        _set(*PARAMETERS, "data", value=[[[[]]]]),
        _set(*PARAMETERS, value=SPLICED),
        _set("challenge", "signature", value=""),
        _set("challenge", "signature", value=None),
        _set("challenge", "signature", value="0" * 64),
        _set("solution", "derivedKey", value="00" * 32),
        _set("solution", "derivedKey", value=lambda solution: solution["derivedKey"][:2]),
        _set("solution", "derivedKey", value=None),
        _set("solution", value={}),
        _set("challenge", value=None),
    ],
)
def test_a_forged_or_spliced_challenge_does_not_count(
    solved: dict[str, Any], change: Callable[[dict[str, Any]], None]
) -> None:
    assert challenges.verify(VAULT, encode(solved), "x1", "teamspace.test")
    change(solved)
    with pytest.raises(InvalidWork):
        challenges.verify(VAULT, encode(solved), "x1", "teamspace.test")


def test_every_signed_character_counts(solved: dict[str, Any]) -> None:
    for name, value in solved["challenge"]["parameters"].items():
        if not isinstance(value, str):
            continue
        for at in range(len(value)):
            changed = value[:at] + ("0" if value[at] != "0" else "1") + value[at + 1 :]
            payload = json.loads(json.dumps(solved))
            payload["challenge"]["parameters"][name] = changed
            with pytest.raises(InvalidWork):
                challenges.verify(VAULT, encode(payload), "x1", "teamspace.test")


@pytest.mark.parametrize(
    "payload", ["", "x", "é" * 100, "A" * 5_000, encode([]), encode("x"), encode({"challenge": {}}), "=" * 40,
                base64.b64encode(b"[" * 3_000).decode(), base64.b64encode(b"\xff\xfe").decode()],
)  # fmt: skip
def test_what_is_no_payload_does_not_count(payload: str) -> None:
    with pytest.raises(InvalidWork):
        challenges.verify(VAULT, payload, "x1", "teamspace.test")
