"""Shared by the tests of the sign-up funnel: documents, and what visitors see."""

from typing import Any

import msgspec

from teamspace.core.principal import system
from teamspace.onboarding import ExperienceDocument
from tests.support.world import Caller, World

EMAIL: dict[str, Any] = {"name": "email", "type": "email", "required": True, "label": {"en": "E-mail", "de": "E-Mail"}}


def document(title: str = "Join us", *fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An experience that asks for an e-mail address, and for more if fields are given."""
    return {"fields": [EMAIL, *fields], "copy": {"en": {"title": title}}, "theme": {}, "judge_prompt": "", **more}


def parsed(title: str = "Join us") -> ExperienceDocument:
    return msgspec.convert(document(title), ExperienceDocument)


async def store_published(world: World, team: Caller, title: str, at: str) -> None:
    """Publish an experience at a given time, without the API."""
    async with world.db.maintenance(system(org_id=team.org.id)) as tx:
        await tx.run(
            "INSERT INTO experiences (id, org_id, team_id, draft_version, published, version, published_at)"
            " VALUES (:id, :org_id, :team_id, 0, :published, 1, :at)",
            id=f"x{team.team.id}", org_id=team.org.id, team_id=team.team.id, at=at,
            published=msgspec.json.encode(document(title)).decode(),
        )  # fmt: skip


async def saved(caller: Caller, body: dict[str, Any]) -> dict[str, Any]:
    answer = await caller.put("/api/beta/experience", body)
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def published(caller: Caller, body: dict[str, Any]) -> dict[str, Any]:
    await saved(caller, body)
    answer = await caller.post("/api/beta/experience/publish")
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown
