"""Whatever people and releases do, in any order: the counts agree with the rows, and no human work is lost.

A verb of another module joins by a function with the mark `step`.
"""

import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from teamspace import localization
from tests.localization.help import PRODUCT, People, changed, coverage, messages, set_up, violations
from tests.support.world import World

STEPS = 60
_TEXTS = ("Notizen", "Alle Notizen", "Noch nichts", "Öffnen")


class Play:
    """An instance, and what must be true of it."""

    def __init__(self, world: World, people: People, chance: random.Random) -> None:
        self.world, self.people, self.chance = world, people, chance
        self.approved: dict[str, str] = {}
        """By name: the text that a person has approved last."""
        self.proposed: dict[str, str] = {}
        """By name: the open proposal."""

    async def pick(self) -> tuple[str, dict[str, Any]]:
        message = self.chance.choice(await messages(self.people.operator))
        return f"{message['namespace']}.{message['key']}", message

    async def review(self, decision: str) -> None:
        name, message = await self.pick()
        reviewer = self.chance.choice([self.people.reviewer, self.people.second_reviewer])
        answer = await reviewer.post(f"/api/l10n/review/{message['id']}", {"decision": decision})
        assert answer.status_code in (200, 400, 403, 409), answer.text
        if answer.status_code == 200 and decision == "approve":
            self.approved[name] = answer.json()["text"]
            self.proposed.pop(name, None)

    async def check(self) -> None:
        for locale in ("en", "de", "is"):
            counts = await coverage(self.people.operator, locale)
            assert counts["total"] == sum(counts[name] for name in ("approved", "machine", "missing", "stale"))
        shown = {f"{item['namespace']}.{item['key']}": item for item in await messages(self.people.operator)}
        for name, text in self.approved.items():
            if name in shown:  # otherwise it is kept until the message is back
                assert (shown[name]["text"], shown[name]["status"]) in ((text, "approved"), (text, "stale"))
        for name, item in shown.items():
            assert (item["proposal"] and item["proposal"]["text"]) == self.proposed.get(name)
        assert await violations(self.world) == []


Step = Callable[[Play], Awaitable[None]]
ALL_STEPS: list[Step] = []


def step(action: Step) -> Step:
    ALL_STEPS.append(action)
    return action


@step
async def propose(play: Play) -> None:
    name, message = await play.pick()
    author = play.chance.choice([play.people.translator, play.people.colleague, play.people.reviewer])
    text = play.chance.choice(_TEXTS)
    answer = await author.put(f"/api/l10n/messages/{message['id']}", {"text": text})
    assert answer.status_code == (400 if message["arguments"] else 200), answer.text
    if answer.status_code == 200:
        play.proposed[name] = text
        assert answer.json()["text"] == message["text"], "a proposal is never served"


@step
async def approve(play: Play) -> None:
    await play.review("approve")


@step
async def send_back(play: Play) -> None:
    await play.review("return")


@step
async def discard(play: Play) -> None:
    answer = await play.people.operator.post("/api/l10n/discard", {"locale": "de"})
    assert answer.status_code == 200
    assert (await coverage(play.people.operator))["machine"] == 0


@step
async def upgrade(play: Play) -> None:
    sources: dict[str, str | None] = {"title": "Notes"}
    for key in ("title", "new", "empty"):
        sources[key] = play.chance.choice(["Notes", "All notes", "Nothing", None])
    if not any(sources.values()):
        sources["title"] = "Notes"
    await localization.synchronise(play.world.db, play.chance.choice([PRODUCT, changed(**sources)]))


@pytest.mark.both_databases
@pytest.mark.parametrize("seed", range(3))
async def test_counts_and_human_work_hold_after_any_sequence(world: World, seed: int) -> None:
    play = Play(world, await set_up(world), random.Random(seed))
    for _ in range(STEPS):
        await play.chance.choice(ALL_STEPS)(play)
        await play.check()
