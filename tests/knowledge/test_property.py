"""Whatever happens, everyone's graph is the one that follows from the documents that they may read, and nothing else."""

import asyncio
import random
from typing import Any

import pytest

from teamspace.repository import WriteCondition, deleting
from teamspace.tenancy.schemas import Role
from tests.identity.help import broken
from tests.jobs.help import running
from tests.knowledge.help import entities, get, principal, use
from tests.knowledge.model import Doc, Graph, Key, Person, Said, shown
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases
NAMES = ("Marta Keller", "Ida Holm", "Olaf Brandt", "Nora Lind")
STEPS = 40


class Play:
    """A sequence of random actions, on the server and on the model."""

    def __init__(self, world: World, people: list[Caller], seed: int) -> None:
        self.world, self.people = world, people
        self.random, self.graph = random.Random(seed), Graph()
        self.labels = 0

    async def step(self) -> str:
        actions = {
            self.write: 4, self.overwrite: 3, self.extract: 3, self.delete: 1, self.remove: 1, self.share: 3,
            self.unshare: 2, self.show: 3, self.merge: 3, self.split: 4,
        }  # fmt: skip
        action = self.random.choices(list(actions), list(actions.values()))[0]
        return f"{action.__name__}: {await action()}"

    def text(self) -> list[Said]:
        said = []
        for _ in range(self.random.randint(0, 3)):
            one, other = self.random.sample(NAMES, 2)
            said.append(Said(*(self.random.choice((name, name, name.upper())) for name in (one, other))))
        return said

    def pick(self, *, removed: bool = False) -> tuple[Doc, Caller] | None:
        docs = [doc for doc in self.graph.docs.values() if doc.removed == removed]
        if not docs:
            return None
        doc = self.random.choice(docs)
        return doc, next(person for person in self.people if person.user_id == doc.owner)

    async def date(self, doc: Doc) -> str:
        sql = "SELECT created_at FROM object_versions WHERE object_id = :id AND number = :number"
        return await self.world.db.one(str, sql, id=doc.id, number=doc.version) or ""

    async def write(self) -> str:
        owner = self.random.choice(self.people)
        doc = Doc("", owner.user_id, owner.team.id, self.random.choice(("private", "team")), self.text(), grants=set())
        body = {"title": "Story", "body": _body(doc.text), "visibility": doc.visibility}
        answer = await owner.post("/api/documents", body)
        assert answer.status_code == 201, answer.text
        doc.id = answer.json()["id"]
        doc.at = await self.date(doc)
        self.graph.docs[doc.id] = doc
        await self._extract(doc, owner)
        return _body(doc.text)

    async def overwrite(self) -> str:
        if not (found := self.pick()):
            return "none"
        doc, owner = found
        doc.text = self.text()
        answer = await owner.put(f"/api/documents/{doc.id}", {"body": _body(doc.text)})
        assert answer.status_code == 200, answer.text
        doc.version = answer.json()["version"]
        doc.at = await self.date(doc)
        if self.random.random() < 0.5:
            await self._extract(doc, owner)
        return _body(doc.text)

    async def extract(self) -> str:
        if not (found := self.pick()):
            return "none"
        await self._extract(*found)
        return found[0].id

    async def _extract(self, doc: Doc, owner: Caller) -> None:
        await use(owner, "kg_extract", object=doc.id)
        doc.known, doc.known_version, doc.known_at = doc.text, doc.version, doc.at

    async def delete(self) -> str:
        if not (found := self.pick()):
            return "none"
        doc, owner = found
        assert (await owner.delete(f"/api/repo-obj/{doc.id}")).status_code == 204
        del self.graph.docs[doc.id]
        self.graph.parts = {pair: part for pair, part in self.graph.parts.items() if pair[0] != doc.id}
        return doc.id

    async def remove(self) -> str:
        """Put a delete marker, as S3 clients do, or take it away by writing again."""
        if found := self.pick(removed=True):
            doc, owner = found
            key = (await self.world.db.one(str, "SELECT key FROM objects WHERE id = :id", id=doc.id)) or ""
            doc.text = self.text()
            answer = await owner("PUT", f"/api/repo/{key}", content=_body(doc.text).encode(), headers=_MARKDOWN)
            assert answer.status_code in (200, 201), answer.text
            doc.version, doc.removed = answer.json()["version"], False
            doc.at = await self.date(doc)
            await self._wait_for_text(doc)
            return f"revived {doc.id}"
        if not (found := self.pick()):
            return "none"
        doc, owner = found
        await _mark_deleted(self.world, owner, doc)
        doc.removed, doc.version = True, doc.version + 1
        return doc.id

    async def _wait_for_text(self, doc: Doc) -> None:
        async with asyncio.timeout(30):
            while True:
                row = await self.world.db.one(str, "SELECT text_state FROM objects WHERE id = :id", id=doc.id)
                if row != "pending":
                    return
                await asyncio.sleep(0.01)

    async def share(self) -> str:
        if not (found := self.pick()):
            return "none"
        doc, owner = found
        other = self.random.choice([person for person in self.people if person.user_id != doc.owner])
        kind, id = self.random.choice((("user", other.user_id), ("team", other.team.id)))
        body = {"principal_type": kind, "principal_id": id, "capability": "view"}
        answer = await owner.post(f"/api/repo-obj/{doc.id}/share", body)
        assert answer.status_code == 200, answer.text
        doc.grants.add((kind, id))
        return f"{doc.id} with {kind} {id}"

    async def unshare(self) -> str:
        shared = [doc for doc in self.graph.docs.values() if doc.grants and not doc.removed]
        if not shared:
            return "none"
        doc = self.random.choice(shared)
        kind, id = self.random.choice(sorted(doc.grants))
        owner = next(person for person in self.people if person.user_id == doc.owner)
        answer = await owner.post(f"/api/repo-obj/{doc.id}/unshare", {"principal_type": kind, "principal_id": id})
        assert answer.status_code == 200, answer.text
        doc.grants.remove((kind, id))
        return f"{doc.id} with {kind} {id}"

    async def show(self) -> str:
        if not (found := self.pick()):
            return "none"
        doc, owner = found
        doc.visibility = "private" if doc.visibility == "team" else "team"
        answer = await owner.post(f"/api/repo-obj/{doc.id}/visibility", {"visibility": doc.visibility})
        assert answer.status_code == 200, answer.text
        return f"{doc.id} {doc.visibility}"

    async def _ids(self, caller: Caller) -> tuple[Person, dict[Key, str]]:
        """The ids of all entities that a person sees, by their root."""
        person = Person(caller.user_id, caller.team.id)
        ids = {item["name"]: item["id"] for item in await entities(caller)}
        return person, {root: ids[each["name"]] for root, each in self.graph.entities(person).items()}

    async def merge(self) -> str:
        caller = self.random.choice(self.people)
        person, ids = await self._ids(caller)
        if len(ids) < 2:
            return "none"
        one, other = self.random.sample(sorted(ids), 2)
        answer = await caller.post(f"/api/kg/entities/{ids[one]}/merge", {"into": ids[other]})
        assert answer.status_code == 200, answer.text
        self.graph.merge(person, one, other)
        return f"{one} into {other} for {caller.team.id}"

    async def split(self) -> str:
        caller = self.random.choice(self.people)
        person, ids = await self._ids(caller)
        if not ids:
            return "none"
        root = self.random.choice(sorted(ids))
        found = self.graph.pairs(person, root)
        key = self.random.choice(sorted(found))
        docs = self.random.sample(found[key], self.random.randint(1, len(found[key])))
        complete = len(docs) == len(found[key])
        self.labels += 1
        label = f"Someone {self.labels}"
        answer = await self._split(caller, ids[root], key, docs, label)
        foreign = any(doc.team != caller.team.id for doc in docs)
        if complete and len(found) == 1:
            assert answer.status_code == 400, answer.text
        elif complete:
            assert answer.status_code == 200, answer.text
            self.graph.release(person, root, {key}, set(found))
        elif foreign:
            assert answer.status_code == 403, answer.text
        else:
            assert answer.status_code == 200, answer.text
            self.graph.split(docs, key, label)
        return f"{key} of {root} in {[doc.id for doc in docs]}: {answer.status_code}"

    async def _split(self, caller: Caller, id: str, key: Key, docs: list[Doc], label: str) -> Any:
        mentions = [
            each["id"]
            for each in (await get(caller, id))["mentions"]
            for doc in docs
            if doc.id == each["object_id"] and self.graph.key(doc, each["written"]) == key
        ]
        return await caller.post(f"/api/kg/entities/{id}/split", {"mentions": mentions, "name": label})

    async def compare(self, caller: Caller) -> None:
        person = Person(caller.user_id, caller.team.id)
        expected = sorted(self.graph.entities(person).values(), key=lambda each: each["name"].lower())
        listed = await entities(caller, limit=3)
        assert [item["name"] for item in listed] == [each["name"] for each in expected]
        whole = [await get(caller, item["id"], limit=2) for item in listed]
        for each, wanted in zip(map(shown, whole), expected, strict=True):
            for part, value in wanted.items():
                assert each[part] == value, (wanted["name"], part)
        assert [item["documents"] for item in listed] == [len(each["timeline"]) for each in expected]
        assert [item["mentions"] for item in listed] == [len(each["mentions"]) for each in expected]


_MARKDOWN = {"content-type": "text/markdown"}


def _body(text: list[Said]) -> str:
    return "\n\n".join(said.sentence for said in text) or "nothing"


async def _mark_deleted(world: World, owner: Caller, doc: Doc) -> None:
    key = await world.db.one(str, "SELECT key FROM objects WHERE id = :id", id=doc.id) or ""
    await deleting.add_delete_marker(world.db, await principal(owner), key, WriteCondition(), "s3")


@pytest.mark.parametrize("seed", range(4))
async def test_everyones_graph_is_the_one_of_the_documents_they_may_read(world: World, seed: int) -> None:
    ann = await world.bootstrap()
    other_team = await world.team(ann.org)
    people = [
        ann,
        await world.person(ann.org, ann.team, Role.ADMIN),
        await world.person(ann.org, other_team, Role.ADMIN),
    ]
    play = Play(world, people, seed)
    history = []
    async with running(world):
        for _ in range(STEPS):
            history.append(await play.step())
            try:
                await play.compare(play.random.choice(people))
            except AssertionError:
                print("\n".join(history))
                raise
    for person in people:
        await play.compare(person)
    assert [name for name in await broken(world) if name.startswith("knowledge.")] == []
