"""What a sign-up costs: verifying a solved challenge, making one, and whole sign-ups in a second.

python -m benchmarks.signup [seconds]
"""

import asyncio
import itertools
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import altcha
import httpx2
import msgspec

from teamspace.app import App, open_database, prepare_folder
from teamspace.core.crypto import Vault
from teamspace.onboarding.domain import challenges, signing_up
from teamspace.settings import load

_DOCUMENT = {
    "fields": [
        {"name": "email", "type": "email", "required": True, "label": {"en": "E-mail"}},
        {"name": "why", "type": "textarea", "label": {"en": "Why?"}},
    ],
    "copy": {"en": {"title": "Join us"}}, "theme": {}, "judge_prompt": "",
}  # fmt: skip
_WHY = "We would like to translate our catalogue, and number {} of our colleagues asked for a place to do it together."


def solve(challenge: msgspec.Struct) -> str:
    given = altcha.Challenge.from_dict(msgspec.json.decode(msgspec.json.encode(challenge)))
    solution = altcha.solve_challenge(given)
    assert solution is not None
    return altcha.Payload(given, solution).to_base64()


def measure(what: str, work: Callable[[], Any], seconds: float) -> None:
    end, count, began = time.perf_counter() + seconds, 0, time.perf_counter()
    while time.perf_counter() < end:
        work()
        count += 1
    print(f"{what}: {(time.perf_counter() - began) / count * 1e6:.0f} us")


async def measure_sign_ups(seconds: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = load({"SERVICE_DATA": folder, "SERVICE_RATE_ANONYMOUS": "0", "SERVICE_RATE_TOKEN": "0"})
        prepare_folder(Path(folder))
        async with open_database(settings) as db:
            app = App(settings, db, None)
            transport = httpx2.ASGITransport(app=app.gate)
            async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
                await _publish(client)
                await _sign_up(client, seconds)
            await app.readers.end()
            await app.fleet.egress.aclose()


async def _publish(client: httpx2.AsyncClient) -> None:
    created = await client.post("/api/bootstrap", json={"username": "ann", "password": "correct horse battery"})
    headers = {"authorization": f"Bearer {created.json()['token']}"}
    (await client.put("/api/beta/experience", json=_DOCUMENT, headers=headers)).raise_for_status()
    (await client.post("/api/beta/experience/publish", headers=headers)).raise_for_status()


async def _sign_up(client: httpx2.AsyncClient, seconds: float) -> None:
    numbers, spent, done = itertools.count(), 0.0, 0
    while spent < seconds:
        challenge = (await client.get("/api/beta/challenge")).json()
        given = altcha.Challenge.from_dict(challenge)
        solution = altcha.solve_challenge(given)
        assert solution is not None
        number = next(numbers)
        fields = {"email": f"e{number}@example.org", "why": _WHY.format(number)}
        body = {"fields": fields, "pow": altcha.Payload(given, solution).to_base64()}
        began = time.perf_counter()
        (await client.post("/api/beta/signup", json=body)).raise_for_status()
        spent += time.perf_counter() - began
        done += 1
    print(f"sign-ups, one after the other: {done / spent:.0f} in a second")


def main(seconds: float) -> None:
    vault = Vault(b"k" * 32)
    payload = solve(challenges.create(vault, "x", "o", 1))
    measure("verify", lambda: challenges.verify(vault, payload, "x", "o"), seconds)
    measure("create", lambda: challenges.create(vault, "x", "o", 1), seconds)
    # Easy challenges and no limit: what is measured comes after them.
    challenges._LOWEST, challenges._HIGHEST, signing_up.MAX_SIGN_UPS = 1, 2, 10**9
    asyncio.run(measure_sign_ups(seconds))


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 2.0)
