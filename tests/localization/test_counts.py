"""Whatever people, files, models and releases do, in any order: the counts agree with the rows, no human work is lost, and
nothing is served that nobody has approved, unless drafts are.

A verb of another module joins by a function with the mark `step`.
"""

import json
import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from teamspace import localization
from tests.jobs.help import ended, running
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
        self.policy = {"default_locale": "en", "switching": True, "drafts": True}

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
        await self.check_served(shown)
        assert await violations(self.world) == []

    async def check_served(self, shown: dict[str, dict[str, Any]]) -> None:
        """Every message has the first text of the chain that may be served, in the end its source."""
        answer = await self.people.operator.get("/api/i18n/catalog", params={"locale": "de"})
        served = answer.json()["messages"]
        is_german = self.policy["switching"] or self.policy["default_locale"] == "de"
        for name, item in shown.items():
            namespace, _, key = name.partition(".")
            may_be_served = is_german and (item["status"] != "machine" or self.policy["drafts"])
            text = item["text"] if may_be_served and item["text"] is not None else item["source"]
            assert served[namespace][key] == text


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
async def export(play: Play) -> None:
    answer = await play.people.operator.post("/api/l10n/export", {"locale": "de"})
    counts = await coverage(play.people.operator)
    assert answer.status_code == (200 if counts["approved"] + counts["stale"] else 409), answer.text
    if answer.status_code == 200:
        assert await import_german(play) == {"locale": "de", "added": 0, "changed": 0, "removed": 0}


@step
async def edit_file(play: Play) -> None:
    """Somebody edits the catalog file by hand: no text that a person has approved here is replaced by it."""
    name, message = await play.pick()
    if message["arguments"]:
        return
    path = play.world.app.settings.data / "locales" / "de.json"
    path.parent.mkdir(exist_ok=True)
    catalog = json.loads(path.read_text()) if path.exists() else {}
    namespace, _, key = name.partition(".")
    catalog.setdefault(namespace, {})[key] = play.chance.choice(_TEXTS)
    path.write_text(json.dumps(catalog))
    await import_german(play)


async def import_german(play: Play) -> dict[str, Any]:
    """Return what the import says, without the number of what is unchanged."""
    answer = await play.people.operator.post("/api/l10n/import", {"locale": "de"})
    assert answer.status_code == 200, answer.text
    (done,) = answer.json()["items"]
    assert done.pop("unchanged") >= 0
    return dict(done)


@step
async def draft(play: Play) -> None:
    missing = (await coverage(play.people.operator))["missing"]
    answer = await play.people.operator.post("/api/l10n/draft", {"locale": "de"})
    assert answer.status_code == 202, answer.text
    assert (answer.json()["queued"], answer.json()["remaining"]) == (missing, 0)
    done = [(await ended(play.people.operator, job["id"]))["result"] for job in answer.json()["jobs"]]
    assert (await coverage(play.people.operator))["missing"] == sum(each["left"] for each in done)


@step
async def set_policy(play: Play) -> None:
    play.policy = {
        "default_locale": play.chance.choice(["en", "de"]),
        "switching": play.chance.choice([True, False]),
        "drafts": play.chance.choice([True, False]),
    }
    answer = await play.people.operator.put("/api/i18n", play.policy)
    assert (answer.status_code, answer.json()) == (200, play.policy)


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
    async with running(world):
        for _ in range(STEPS):
            await play.chance.choice(ALL_STEPS)(play)
            await play.check()
