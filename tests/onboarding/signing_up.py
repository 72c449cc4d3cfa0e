"""Shared by the tests of sign-ups: visitors who solve challenges and fill in forms."""

import asyncio
from typing import Any

import altcha
import httpx2
import msgspec
import pytest

from teamspace.core.principal import system
from teamspace.onboarding.domain import challenges
from tests.onboarding.help import document
from tests.support.world import Caller, World

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
HEADERS = {"user-agent": BROWSER, "accept-language": "en"}
WHY = {"name": "why", "type": "textarea", "label": {"en": "Why?"}}
PROSE = "We are a small publisher in Reykjavik and would like to translate our catalogue into five languages."


@pytest.fixture
def easy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Challenges that take no time, for tests of what comes after them."""
    monkeypatch.setattr(challenges, "_LOWEST", 1)
    monkeypatch.setattr(challenges, "_HIGHEST", 2)


async def publish(world: World, team: Caller, *fields: dict[str, Any], **more: Any) -> str:
    """Publish an experience without the API; return its id."""
    given = msgspec.json.encode(document("Join us", WHY, *fields, **more)).decode()
    async with world.db.maintenance(system(org_id=team.org.id)) as tx:
        await tx.run(
            "INSERT INTO experiences (id, org_id, team_id, draft_version, published, version, published_at)"
            " VALUES (:id, :org_id, :team_id, 0, :given, 1, '2026-01-01T00:00:00.000Z')"
            " ON CONFLICT (team_id) DO UPDATE SET published = excluded.published, version = experiences.version + 1",
            id=f"x{team.team.id}", org_id=team.org.id, team_id=team.team.id, given=given,
        )  # fmt: skip
    return f"x{team.team.id}"


async def ask(world: World, **headers: str) -> dict[str, Any]:
    answer = await world.anonymous.get("/api/beta/challenge", headers=HEADERS | headers)
    assert answer.status_code == 200, answer.text
    served: dict[str, Any] = answer.json()
    return served


def solve(served: dict[str, Any]) -> str:
    """Solve a challenge with the solver of the library."""
    challenge = altcha.Challenge.from_dict(served)
    solution = altcha.solve_challenge(challenge)
    assert solution is not None
    return altcha.Payload(challenge, solution).to_base64()


async def send(world: World, pow: str, fields: dict[str, Any], **headers: str) -> httpx2.Response:
    body = {"fields": fields, "pow": pow, "locale": "en"}
    return await world.anonymous.post("/api/beta/signup", body, headers=HEADERS | headers)


async def sign_up(world: World, email: str = "eva@example.org", **fields: Any) -> None:
    pow = await asyncio.to_thread(solve, await ask(world))
    answer = await send(world, pow, {"email": email, **fields})
    assert (answer.status_code, answer.json()) == (202, {"ok": True}), answer.text


async def prospects(caller: Caller, **query: Any) -> list[dict[str, Any]]:
    answer = await caller.get("/api/beta/prospects", params=query)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items
