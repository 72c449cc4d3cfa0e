"""What a sign-up costs: the server, which makes and verifies challenges and stores sign-ups, and the visitor's browser.

python -m benchmarks.signup [--short]
"""

import argparse
import asyncio
import itertools
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import altcha
import httpx2
import msgspec

from benchmarks.report import machine
from benchmarks.solving import measure_solving
from teamspace.app import App, open_database, prepare_folder
from teamspace.core.crypto import Vault
from teamspace.onboarding.domain import challenges, signing_up
from teamspace.settings import load

RESULTS = Path(__file__).parent / "results/signup.json"
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


def measure(work: Callable[[], Any], seconds: float) -> float:
    """Return the microseconds of processor time that it takes."""
    end, count, began = time.perf_counter() + seconds, 0, time.process_time()
    while time.perf_counter() < end:
        work()
        count += 1
    return round((time.process_time() - began) / count * 1e6)


async def measure_sign_ups(seconds: float) -> float:
    """Return how many sign-ups, one after the other, the server takes in a second."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load({"SERVICE_DATA": folder, "SERVICE_RATE_ANONYMOUS": "0", "SERVICE_RATE_TOKEN": "0"})
        prepare_folder(Path(folder))
        async with open_database(settings) as db:
            app = App(settings, db, None)
            transport = httpx2.ASGITransport(app=app.gate)
            async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
                await _publish(client)
                rate = await _sign_up(client, seconds)
            await app.readers.end()
            await app.fleet.egress.aclose()
    return rate


async def _publish(client: httpx2.AsyncClient) -> None:
    created = await client.post("/api/bootstrap", json={"username": "ann", "password": "correct horse battery"})
    headers = {"authorization": f"Bearer {created.json()['token']}"}
    (await client.put("/api/beta/experience", json=_DOCUMENT, headers=headers)).raise_for_status()
    (await client.post("/api/beta/experience/publish", headers=headers)).raise_for_status()


async def _sign_up(client: httpx2.AsyncClient, seconds: float) -> float:
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
    return round(done / spent)


def measure_server(seconds: float) -> dict[str, float]:
    vault = Vault(b"k" * 32)
    payload = solve(challenges.create(vault, "x", "o", 1))
    figures = {
        "verify_cpu_us": measure(lambda: challenges.verify(vault, payload, "x", "o"), seconds),
        "create_cpu_us": measure(lambda: challenges.create(vault, "x", "o", 1), seconds),
    }
    # Easy challenges and no limit: what is measured comes after them.
    challenges._LOWEST, challenges._HIGHEST, signing_up.MAX_SIGN_UPS = 1, 2, 10**9
    return {**figures, "sign_ups_a_second": asyncio.run(measure_sign_ups(seconds))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="some seconds; writes nothing")
    short = parser.parse_args().short
    facts = machine()
    report = {
        "machine": facts,
        "solving": measure_solving(5 if short else 40),
        "server": measure_server(0.5 if short else 3),
    }
    facts["load_average_after"] = round(os.getloadavg()[0], 2)
    text = json.dumps(report, indent=2)
    print(text)
    if not short:
        RESULTS.write_text(text + "\n")


if __name__ == "__main__":
    main()
