"""A list costs the same however many messages there are, and hostile texts cost no more than others."""

from typing import Any

import msgspec
import pytest

from teamspace import localization, translation
from teamspace.core import paging
from teamspace.core.messages import Messages
from teamspace.localization.schemas import ListPosition
from tests.localization.help import find, set_up
from tests.support.visited import blocks, visited
from tests.support.world import Caller, World

SMALL, LARGE = 1_000, 20_000
_NAMESPACES = 8
_SECOND = ", second page"
_FEW = 10
"""Rows of a plan that differ for a list of almost nothing."""

QUERIES: dict[str, dict[str, Any]] = {
    "all": {}, "missing": {"status": "missing"}, "machine": {"status": "machine"}, "a namespace": {"ns": "area7"},
    "a status in a namespace": {"ns": "area7", "status": "machine"}, "proposals": {"review": "submitted"},
    "to review": {"reviewable": 1}, "a common word": {"q": "common"}, "a rare word": {"q": "number000777"},
    "a prefix of all": {"q": "num"}, "two common words": {"q": "common text"}, "words that no message has": {"q": "common other"},
    "a word in a namespace": {"q": "common", "ns": "area7"},
}  # fmt: skip


def product(size: int, namespaces: int = _NAMESPACES) -> dict[str, Messages]:
    sources: Messages = {f"area{number}": {} for number in range(namespaces)}
    german: Messages = {namespace: {} for namespace in sources}
    for number in range(size):
        namespace, key = f"area{number % namespaces}", f"key{number:06}"
        sources[namespace][key] = f"A common text with number{number:06}"
        if number % 2:
            german[namespace][key] = f"Ein Text mit Nummer{number}"
    return {"en": sources, "de": german}


async def cost_of(world: World, caller: Caller, path: str, params: dict[str, Any]) -> int:
    async with visited(world) as work:
        answer = await caller.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return work.count


@pytest.mark.both_databases
async def test_lists_and_coverage_cost_the_same_at_any_size(world: World) -> None:
    people = await set_up(world, product(SMALL))
    costs = [await costs_of_all(world, people.reviewer)]
    await localization.synchronise(world.db, product(LARGE))
    if world.db.dialect.name == "postgres":
        await world.db.engine.script("ANALYZE")
    costs.append(await costs_of_all(world, people.reviewer))
    small, large = costs
    before = {name: max(small[name], small.get(f"{name}{_SECOND}", 0)) for name in small if _SECOND not in name}
    grown = {
        name: (before[name.removesuffix(_SECOND)], cost)
        for name, cost in large.items()
        if cost > 1.5 * before[name.removesuffix(_SECOND)] + _FEW
    }
    assert grown == {}


async def costs_of_all(world: World, caller: Caller) -> dict[str, int]:
    costs = {}
    for name, query in QUERIES.items():
        params = {"locale": "de", "limit": 50, **query}
        first = (await caller.get("/api/l10n/messages", params=params)).json()
        costs[name] = await cost_of(world, caller, "/api/l10n/messages", params)
        if first["next_cursor"]:
            after = params | {"cursor": first["next_cursor"]}
            costs[f"{name}{_SECOND}"] = await cost_of(world, caller, "/api/l10n/messages", after)
    costs["coverage"] = await cost_of(world, caller, "/api/l10n/coverage", {"locale": "de"})
    return costs


_FEW_BLOCKS = 70
"""One message and the rights of its reader. The keys before it are a hundred blocks, the words a thousand."""


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_an_index_is_read_from_where_a_page_begins(world: World) -> None:
    """Words before the prefix, and keys before the cursor, were once read and skipped, which the number of rows hides."""
    people = await set_up(world, product(LARGE, namespaces=1))
    await world.db.engine.script("ANALYZE")
    queries: dict[str, dict[str, Any]] = {
        "a word": {"q": "with"}, "all": {}, "a namespace": {"ns": "area0"}, "a status": {"status": "machine"},
        "a status in a namespace": {"ns": "area0", "status": "machine"}, "to review": {"reviewable": 1},
    }  # fmt: skip
    read = {}
    for name, query in queries.items():
        position = ListPosition(query.get("q", ""), "area0", f"key{LARGE - 100:06}")
        cursor = paging.encode_cursor(msgspec.json.encode(position).decode())
        last = {"cursor": paging.sign_cursor(world.db.vault, cursor)}
        read[name] = await blocks_of(world, people.reviewer, query)
        read[f"{name}, near the end"] = await blocks_of(world, people.reviewer, query | last)
    assert {name: count for name, count in read.items() if count > _FEW_BLOCKS} == {}


async def blocks_of(world: World, caller: Caller, query: dict[str, Any]) -> int:
    async with blocks(world) as work:
        answer = await caller.get("/api/l10n/messages", params={"locale": "de", "limit": 1, **query})
    assert len(answer.json()["items"]) == 1, answer.text
    return work.count


DEEP = "{n, plural, one {" * 8 + "x" + "} other {y}}" * 8
WORST = {
    "nested plurals": "{n, plural, one {x} other {y}} " * 320,
    "deep plurals": DEEP * (10_000 // len(DEEP)),
    "too deep": "{n, plural, other {" * 500,
    "open braces": "{" * 10_000,
    "apostrophes": "'{" * 5_000,
    "tags": "<b " * 3_300,
    "words": "a " * 5_000,
    "marks": "a" + "\u0301" * 9_999,
    "numbers": "1 " * 5_000,
}


@pytest.mark.parametrize("name", WORST)
async def test_a_hostile_text_is_answered(world: World, name: str) -> None:
    people = await set_up(world)
    for message in (await find(people.translator, "files.count"), await find(people.translator, "notes.title")):
        answer = await people.translator.put(f"/api/l10n/messages/{message['id']}", {"text": WORST[name]})
        assert answer.status_code in (200, 400), answer.text


async def test_a_text_that_is_too_long_is_refused(world: World) -> None:
    people = await set_up(world)
    message = await find(people.translator, "notes.title")
    answer = await people.translator.put(f"/api/l10n/messages/{message['id']}", {"text": "x" * 10_001})
    assert answer.status_code == 400


async def test_only_the_first_words_of_a_long_text_are_indexed(world: World) -> None:
    long = " ".join(f"word{number}" for number in range(1_000))
    await set_up(world, {"en": {"a": {"b": long}}, "de": {"a": {"b": long}}})
    assert (await world.db.one(int, "SELECT COUNT(*) FROM l10n_words") or 0) <= 600


@pytest.mark.parametrize(
    "tag", ["../../etc/passwd", "", "x" * 10_000, "de\x00", "root", "C:\\", "en/../de", "__", "de.UTF-8"]
)
def test_a_hostile_tag_has_the_plural_forms_of_an_unknown_language(tag: str) -> None:
    message = "{n, plural, one {# file} other {# files}}"
    assert translation.describe_message(message, tag).plural_categories in (["other"], ["one", "other"])
    assert translation.check_message(message, message, tag).errors == []
