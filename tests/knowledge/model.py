"""The knowledge graph in plain Python: what a person should see, from scratch, out of what they may read."""

import re
from collections import defaultdict
from typing import Any

import msgspec

Key = tuple[str, str]
"""A normalized name, and its part if it was split."""


class Said(msgspec.Struct):
    """A sentence: `<one> met <other>.`"""

    one: str
    other: str

    @property
    def sentence(self) -> str:
        return f"{self.one} met {self.other}."


class Doc(msgspec.Struct):
    id: str
    owner: str
    team: str
    visibility: str
    text: list[Said]
    version: int = 1
    grants: set[tuple[str, str]] = set()
    removed: bool = False
    known: list[Said] | None = None
    """What the version that was extracted says."""
    known_version: int = 0
    at: str = ""
    known_at: str = ""


class Person(msgspec.Struct, frozen=True):
    user: str
    team: str


class Graph:
    """All documents, and what people have decided."""

    def __init__(self) -> None:
        self.docs: dict[str, Doc] = {}
        self.roots: dict[str, dict[Key, Key]] = defaultdict(dict)
        """By team: the root of every name that was merged."""
        self.parts: dict[tuple[str, str], Key] = {}
        """By document and name: what the name means there."""
        self.labels: dict[Key, str] = {}

    def may_read(self, who: Person, doc: Doc) -> bool:
        own = doc.owner == who.user and doc.team == who.team
        granted = doc.grants & {("user", who.user), ("team", who.team)}
        return not doc.removed and bool(own or granted or (doc.visibility == "team" and doc.team == who.team))

    def readable(self, who: Person) -> list[Doc]:
        """Return the documents that were extracted and that a person may read, newest first."""
        found = [doc for doc in self.docs.values() if doc.known is not None and self.may_read(who, doc)]
        return sorted(found, key=lambda doc: (doc.known_at, doc.id), reverse=True)

    def key(self, doc: Doc, written: str) -> Key:
        name = " ".join(written.lower().split())
        return self.parts.get((doc.id, name), (name, ""))

    def root(self, who: Person, key: Key) -> Key:
        return self.roots[who.team].get(key, key)

    def members(self, who: Person, root: Key) -> set[Key]:
        return {key for key, its_root in self.roots[who.team].items() if its_root == root} | {root}

    def entities(self, who: Person) -> dict[Key, dict[str, Any]]:
        """Return all entities by their root, as `GET /api/kg/entities/:id` describes them."""
        where: dict[Key, dict[Key, list[tuple[Doc, str, str]]]] = defaultdict(lambda: defaultdict(list))
        for doc in self.readable(who):
            for said in doc.known or ():
                for written in (said.one, said.other):
                    key = self.key(doc, written)
                    mention = (doc, written, said.sentence)
                    if mention not in where[self.root(who, key)][key]:
                        where[self.root(who, key)][key].append(mention)
        titles = {root: self._title(root, names) for root, names in where.items()}
        return {root: self._entity(who, root, names, titles) for root, names in where.items()}

    def _title(self, root: Key, names: dict[Key, list[tuple[Doc, str, str]]]) -> str:
        return self._name(root if root in names else min(names), names)

    def _name(self, key: Key, names: dict[Key, list[tuple[Doc, str, str]]]) -> str:
        return self.labels.get(key) or names[key][0][1]

    def _entity(
        self, who: Person, root: Key, names: dict[Key, list[tuple[Doc, str, str]]], titles: dict[Key, str]
    ) -> dict[str, Any]:
        docs = [
            doc for doc in self.readable(who) if any(doc is each[0] for several in names.values() for each in several)
        ]
        relations = [
            (direction, "met", titles[self.root(who, self.key(doc, other))], doc.id)
            for doc in docs
            for said in _unique(doc.known or [])
            for direction, one, other in (("out", said.one, said.other), ("in", said.other, said.one))
            if self.key(doc, one) in names and self.root(who, self.key(doc, other)) != root
        ]
        return {
            "name": titles[root],
            "names": sorted({self._name(key, names) for key in names}),
            "timeline": [(doc.id, doc.known_version, doc.known_version != doc.version) for doc in docs],
            "mentions": sorted((doc.id, quote) for several in names.values() for doc, _, quote in several),
            "relations": sorted(relations),
        }

    def pairs(self, who: Person, root: Key) -> dict[Key, list[Doc]]:
        """Return the readable documents of each name of an entity."""
        found: dict[Key, list[Doc]] = defaultdict(list)
        for doc in self.readable(who):
            keys = {self.key(doc, written) for said in doc.known or () for written in (said.one, said.other)}
            for key in keys:
                if self.root(who, key) == root:
                    found[key].append(doc)
        return found

    def merge(self, who: Person, one: Key, other: Key) -> None:
        for key in self.members(who, one):
            self.roots[who.team][key] = other

    def release(self, who: Person, root: Key, keys: set[Key], readable: set[Key]) -> None:
        """Undo the merge of some names."""
        rest = self.members(who, root) - keys
        new_root = root if root in rest else min(rest & readable)
        apart = min(keys)
        for key in rest:
            self.roots[who.team][key] = new_root
        for key in keys:
            self.roots[who.team][key] = apart

    def split(self, docs: list[Doc], key: Key, label: str) -> None:
        """Give a name another meaning in some documents."""
        part = (" ".join(re.sub(r"[^\w ]", "", label).lower().split()), label)
        self.labels[part] = label
        for doc in docs:
            for said in doc.known or ():
                for written in (said.one, said.other):
                    if self.key(doc, written) == key:
                        self.parts[doc.id, " ".join(written.lower().split())] = part


def _unique(text: list[Said]) -> list[Said]:
    return [said for place, said in enumerate(text) if said not in text[:place]]


def shown(entity: dict[str, Any]) -> dict[str, Any]:
    """Return what the API says about an entity in the form of the model."""
    return {
        "name": entity["name"],
        "names": sorted(entity["names"]),
        "timeline": [(each["object_id"], each["version"], each["outdated"]) for each in entity["timeline"]],
        "mentions": sorted((each["object_id"], each["quote"]) for each in entity["mentions"]),
        "relations": sorted(
            (each["direction"], each["predicate"], each["entity"]["name"], each["object_id"])
            for each in entity["relations"]
        ),
    }
