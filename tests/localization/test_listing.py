"""Lists of messages: filters, search, neighbours, pages, and coverage."""

from typing import Any

import pytest

from tests.identity.help import refusal
from tests.localization.help import PLURAL, coverage, find, keys, messages, set_up, submit
from tests.support.world import World

ALL = ["files.count", "files.delete", "files.open", "notes.empty", "notes.new", "notes.title"]


async def test_messages_are_listed_by_namespace_and_key(world: World) -> None:
    people = await set_up(world)
    assert await keys(people.translator) == ALL
    assert await keys(people.translator, limit=1) == ALL
    assert await keys(people.translator, "is", limit=4) == ALL


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"status": "machine"}, ["files.open", "notes.new", "notes.title"]),
        ({"status": "missing"}, ["files.count", "files.delete", "notes.empty"]),
        ({"status": "stale"}, []),
        ({"ns": "files"}, ["files.count", "files.delete", "files.open"]),
        ({"ns": "files", "status": "machine"}, ["files.open"]),
        ({"ns": "file"}, []),
        ({"review": "submitted"}, ["notes.empty"]),
        ({"review": "submitted", "status": "missing"}, ["notes.empty"]),
        ({"review": "submitted", "status": "machine"}, []),
        ({"review": "submitted", "ns": "files"}, []),
        ({"review": "returned"}, []),
    ],
)
@pytest.mark.parametrize("limit", [50, 1])
async def test_filters(world: World, query: dict[str, Any], expected: list[str], limit: int) -> None:
    people = await set_up(world)
    await submit(people.translator, "notes.empty", "Noch keine Notizen")
    assert await keys(people.operator, **query, limit=limit) == expected


async def test_a_reviewer_finds_drafts_and_the_proposals_of_others(world: World) -> None:
    people = await set_up(world)
    await submit(people.translator, "notes.empty", "Noch keine Notizen")
    await submit(people.reviewer, "notes.new", "Notiz anlegen")
    of_first = await keys(people.reviewer, reviewable=1)
    assert of_first == ["files.open", "notes.empty", "notes.title"]
    assert await keys(people.second_reviewer, reviewable=1) == ["files.open", "notes.empty", "notes.new", "notes.title"]
    assert await keys(people.reviewer, reviewable=1, limit=1) == of_first
    assert await keys(people.reviewer, reviewable=1, status="missing") == ["notes.empty"]


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("note", ["notes.new", "notes.empty", "notes.title"]),
        ("NOTES", ["notes.empty", "notes.new", "notes.title"]),
        ("öffnen", ["files.open"]),
        ("OFFN", ["files.open"]),
        ("neue notiz", ["notes.new"]),
        ("neue open", []),
        ("notiz note", ["notes.new", "notes.title"]),
        ("delete file", ["files.delete"]),
        ("title", ["notes.title"]),
        ("  ", ALL),
        ("?!", []),
        ("%", []),
        ("x" * 200, []),
    ],
)
@pytest.mark.parametrize("limit", [50, 1])
async def test_every_word_of_a_query_is_the_beginning_of_one_in_the_message(
    world: World, q: str, expected: list[str], limit: int
) -> None:
    people = await set_up(world)
    found = await keys(people.translator, q=q, limit=limit)
    assert sorted(found) == sorted(expected)
    assert len(set(found)) == len(found)


async def test_a_search_is_limited_by_filters(world: World) -> None:
    people = await set_up(world)
    assert await keys(people.translator, q="note", status="machine", limit=1) == ["notes.new", "notes.title"]
    assert await keys(people.translator, q="open", ns="notes") == []
    assert await keys(people.translator, "is", q="notiz") == [], "words of another locale"


async def test_one_message_and_its_neighbours(world: World) -> None:
    people = await set_up(world)
    message = await find(people.translator, "files.delete")
    assert await messages(people.translator, id=message["id"]) == [message]
    assert await keys(people.translator, around=message["id"]) == ["files.count", "files.delete", "files.open"]
    for wrong in ({"locale": "is", "id": message["id"]}, {"locale": "de", "around": "nothing"}):
        answer = await people.translator.get("/api/l10n/messages", params=wrong)
        assert refusal(answer) == (404, "not_found")


async def test_a_message_says_what_a_translation_needs(world: World) -> None:
    people = await set_up(world, {"en": {"files": {"count": PLURAL, "move": "Move {name} to {folder}"}}, "pl": {}})
    count, move = await messages(people.translator, "pl")
    assert (count["arguments"], count["plural_categories"]) == (["n"], ["one", "few", "many", "other"])
    assert (move["arguments"], move["plural_categories"]) == (["folder", "name"], [])


async def test_coverage_counts_locales_and_namespaces(world: World) -> None:
    people = await set_up(world)
    answer = (await people.translator.get("/api/l10n/coverage", params={"locale": "de"})).json()
    assert (answer["source"], [item["locale"] for item in answer["items"]]) == ("en", ["de", "en", "is"])
    assert [(item["namespace"], item["total"], item["machine"], item["missing"]) for item in answer["namespaces"]] == [
        ("files", 3, 1, 2),
        ("notes", 3, 2, 1),
    ]
    assert "namespaces" not in (await people.translator.get("/api/l10n/coverage")).json()
    await submit(people.translator, "notes.empty", "Noch keine Notizen")
    assert (await coverage(people.translator))["submitted"] == 1


@pytest.mark.parametrize("locale", ["../x", "d", "de_", "x" * 40, "de-<b>", "%00", "-"])
async def test_what_is_no_language_tag_is_refused(world: World, locale: str) -> None:
    people = await set_up(world)
    for path in ("/api/l10n/messages", "/api/l10n/coverage"):
        assert refusal(await people.operator.get(path, params={"locale": locale})) == (400, "invalid_request")
    assert refusal(await people.operator.post("/api/l10n/discard", {"locale": locale})) == (400, "invalid_request")


async def test_a_locale_without_entries_is_empty(world: World) -> None:
    people = await set_up(world)
    assert await messages(people.operator, "fr") == []
    assert refusal(await people.operator.post("/api/l10n/discard", {"locale": "fr"})) == (404, "not_found")
