"""Random histories of creating, sharing, deleting, restoring and purging, compared with a model in plain Python."""

import random
from typing import Any

import pytest

from tests.repository.help import send
from tests.support.world import Caller, World
from tests.trash.help import People, is_unseen, items, people, restore, view, violations, write_note

STEPS = 40
KEYS = ("a", "b", "c/d")
RIGHTS = ("notes:read", "notes:write", "notes:delete")
LEVELS = ("view", "edit", "manage")


class Thing:
    """What the model knows of a note or a file."""

    def __init__(self, id: str, owner: Caller, key: str | None) -> None:
        self.id, self.owner, self.key = id, owner, key
        self.before: list[dict[str, Any]] = []
        """What everyone saw when it was deleted."""

    @property
    def path(self) -> str:
        return f"/api/notes/{self.id}" if self.key is None else f"/api/repo-obj/{self.id}"


class History:
    """A team whose members do random things; each step is checked."""

    def __init__(self, team: People, rng: random.Random) -> None:
        self.team, self.rng = team, rng
        self.live: list[Thing] = []
        self.trash: list[Thing] = []
        self.gone: list[Thing] = []

    async def step(self) -> None:
        steps = [self.create_note, self.create_file]
        steps += [self.share, self.change, self.delete, self.delete] if self.live else []
        steps += [self.restore, self.restore, self.purge] if self.trash else []
        await self.rng.choice(steps)()
        await self.check_trash()

    async def create_note(self) -> None:
        owner = self.rng.choice([self.team.owner, self.team.member])
        visibility = self.rng.choice(["private", "team"])
        tags = self.rng.sample(["site", "plan", "week"], 2)
        self.live.append(Thing(await write_note(owner, visibility=visibility, tags=tags), owner, None))

    async def create_file(self) -> None:
        owner, key = self.rng.choice([self.team.owner, self.team.member]), self.rng.choice(KEYS)
        answer = await send(owner, key, f"The crane {self.rng.random()}".encode(), content_type="text/markdown")
        taken = next((thing for thing in self.live if thing.key == key), None)
        if taken is None:
            assert answer.status_code == 201, "the key is free, whatever is in the trash"
            self.live.append(Thing(answer.json()["id"], owner, key))
        else:
            assert answer.status_code == (200 if taken.owner is owner else answer.status_code)

    async def share(self) -> None:
        thing, to = self.rng.choice(self.live), self.rng.choice([self.team.colleague, self.team.viewer])
        body = (
            {"user_id": to.user_id, "permission": self.rng.choice(RIGHTS)}
            if thing.key is None
            else {"principal_type": "user", "principal_id": to.user_id, "capability": self.rng.choice(LEVELS)}
        )
        assert (await thing.owner.post(f"{thing.path}/share", body)).status_code == 200

    async def change(self) -> None:
        thing = self.rng.choice(self.live)
        if thing.key is None:
            answer = await thing.owner.put(thing.path, {"body": f"The crane {self.rng.random()}"})
        else:
            visibility = self.rng.choice(["private", "team"])
            answer = await thing.owner.post(f"{thing.path}/visibility", {"visibility": visibility})
        assert answer.status_code == 200, answer.text

    async def delete(self) -> None:
        thing = self.live.pop(self.rng.randrange(len(self.live)))
        thing.before = [await view(person, thing.id) for person in self.team]
        assert (await thing.owner.delete(thing.path)).status_code == 204
        assert (await thing.owner.delete(thing.path)).status_code == 404
        self.trash.append(thing)
        await self.check_unseen(thing)

    async def restore(self) -> None:
        thing = self.rng.choice(self.trash)
        answer = await restore(thing.owner, thing.id)
        if thing.key is not None and any(other.key == thing.key for other in self.live):
            assert (answer.status_code, answer.json()["params"]) == (409, {"key": thing.key})
            await self.check_unseen(thing)
            return
        assert answer.status_code == 200, answer.text
        self.trash.remove(thing)
        self.live.append(thing)
        assert [await view(person, thing.id) for person in self.team] == thing.before

    async def purge(self) -> None:
        thing = self.trash.pop(self.rng.randrange(len(self.trash)))
        assert (await thing.owner.delete(f"/api/trash/{thing.id}")).status_code == 204
        self.gone.append(thing)
        await self.check_unseen(thing)

    async def check_unseen(self, thing: Thing) -> None:
        for person in self.team:
            assert is_unseen(await view(person, thing.id))

    async def check_trash(self) -> None:
        for owner in (self.team.owner, self.team.member):
            expected = [thing.id for thing in reversed(self.trash) if thing.owner is owner]
            assert [item["id"] for item in await items(owner) if item["owner"] == owner.user_id] == expected
        assert await items(self.team.stranger) == await items(self.team.colleague) == []


@pytest.mark.parametrize("seed", range(3))
async def test_everything_comes_back_and_nothing_is_seen_meanwhile(world: World, seed: int) -> None:
    history = History(await people(world), random.Random(f"trash {seed}"))
    for _ in range(STEPS):
        await history.step()
    assert history.gone and await violations(world) == []
    for thing in history.gone:
        assert (await restore(thing.owner, thing.id)).status_code == 404
