"""Messages come with the terms of the team's glossary, for everyone who can read them."""

from typing import Any

import pytest

from teamspace.core.messages import Messages
from teamspace.tenancy.schemas import Role
from teamspace.translation.domain import hits
from teamspace.translation.schemas import MAX_TERM_WORDS
from tests.identity.help import refusal
from tests.localization.help import find, messages, set_up, submit
from tests.mcp.help import loop_watched
from tests.support.world import Caller, World
from tests.translation.test_cost import fill_glossary


async def add_term(caller: Caller, term: str, translation: str, target: str = "de", **more: Any) -> None:
    answer = await caller.post("/api/glossary", {"term": term, "target": target, "translation": translation, **more})
    assert answer.status_code == 200, answer.text


async def terms(caller: Caller, name: str, locale: str = "de") -> list[str]:
    return [term["term"] for term in (await find(caller, name, locale))["terms"]]


async def test_a_translator_who_cannot_chat_sees_the_terms_of_a_source(world: World) -> None:
    people = await set_up(world)
    await add_term(people.operator, "note", "Notiz", note="Never the music.", forbidden=["Vermerk"])
    assert refusal(await people.translator.get("/api/glossary")) == (403, "forbidden")
    (term,) = (await find(people.translator, "notes.new"))["terms"]
    assert (term["term"], term["translation"], term["note"], term["forbidden"]) == (
        "note", "Notiz", "Never the music.", ["Vermerk"],
    )  # fmt: skip
    assert await terms(people.translator, "notes.title") == ["note"], "a plural counts"
    assert await terms(people.translator, "notes.new", "is") == [], "another language has its own"
    message = await find(people.translator, "notes.new")
    (around,) = [item for item in await messages(people.translator, around=message["id"]) if item["key"] == "new"]
    assert around["terms"] == message["terms"]
    assert "terms" in await submit(people.translator, "notes.new", "Notiz anlegen")


async def test_terms_are_in_the_order_of_the_source_and_arguments_are_none(world: World) -> None:
    people = await set_up(world)
    for term in ("file", "name", "delete", "delete the", "other", "plural"):
        await add_term(people.operator, term, f"{term}!")
    assert await terms(people.translator, "files.delete") == ["delete the", "file"]
    assert await terms(people.translator, "files.count") == ["file"]


async def test_the_terms_are_those_of_the_own_team(world: World) -> None:
    people = await set_up(world)
    await add_term(people.operator, "note", "Notiz")
    org, team = await world.company()
    stranger, owner = await world.person(org, team, Role.TRANSLATOR), await world.person(org, team, Role.OWNER)
    assert await terms(stranger, "notes.new") == []
    await add_term(owner, "note", "Zettel")
    assert [term["translation"] for term in (await find(stranger, "notes.new"))["terms"]] == ["Zettel"]


async def test_a_term_that_is_deleted_is_gone(world: World) -> None:
    people = await set_up(world)
    await add_term(people.operator, "note", "Notiz")
    await people.operator.post("/api/glossary", {"term": "note", "target": "de", "translation": None})
    assert await terms(people.translator, "notes.new") == []


LONG = {"words": "a " * 5_000, "word": "a" * 10_000, "signs": "漢" * 10_000, "arguments": "{a} " * 2_500}

MANY = 1 + hits.MAX_WORDS_IN_ALL // hits.MAX_WORDS


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_the_largest_glossary_and_the_longest_texts_do_not_hold_the_loop(world: World) -> None:
    """All phrases begin alike, and so do the texts."""
    texts: Messages = {
        shape: {f"key{number}": text for number in range(MANY if shape == "words" else 2)}
        for shape, text in LONG.items()
    }
    people = await set_up(world, {"en": texts, "de": {}})
    await fill_glossary(people.operator, "a " * (MAX_TERM_WORDS - 1))
    await add_term(people.operator, f"{'a ' * (MAX_TERM_WORDS - 1)}0", "x", note="n" * 500)
    for shape in LONG:
        async with loop_watched():
            page = (await people.translator.get(f"/api/l10n/messages?locale=de&limit=200&ns={shape}")).json()["items"]
        assert len(page) == len(texts[shape])


async def test_words_beyond_the_limit_are_not_searched(world: World) -> None:
    texts = {"a": "x " * hits.MAX_WORDS + "note", "b": "x " * (hits.MAX_WORDS - 1) + "note"}
    people = await set_up(world, {"en": {"long": texts}, "de": {}})
    await add_term(people.operator, "note", "Notiz")
    assert (await terms(people.translator, "long.a"), await terms(people.translator, "long.b")) == ([], ["note"])


async def test_a_text_of_many_terms_names_the_first(world: World) -> None:
    text = " ".join(f"word{number}" for number in range(100))
    people = await set_up(world, {"en": {"a": {"b": text}}, "de": {}})
    for number in range(30):
        await add_term(people.operator, f"word{number}", "x")
    assert await terms(people.translator, "a.b") == [f"word{number}" for number in range(hits.MAX_HITS)]
