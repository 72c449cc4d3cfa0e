"""The glossary over HTTP."""

import asyncio
from typing import Any

import pytest

from teamspace.tenancy.schemas import Role
from teamspace.translation.domain import glossary
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def put(caller: Caller, term: str = "file", translation: str | None = "Datei", **more: Any) -> Any:
    body = {"term": term, "target": "de", "translation": translation, **more}
    return await caller.post("/api/glossary", body)


async def listed(caller: Caller, query: str = "") -> list[tuple[str, str, str]]:
    items, cursor = list[dict[str, Any]](), ""
    while True:
        page = (await caller.get(f"/api/glossary?limit=2{query}{cursor}")).json()
        items += page["items"]
        if page["next_cursor"] is None:
            return [(item["target"], item["term"], item["translation"]) for item in items]
        cursor = f"&cursor={page['next_cursor']}"


async def test_a_term_is_added_updated_and_deleted(ann: Caller) -> None:
    added = await put(ann, " File ", "Datei", note="on a disk", forbidden=["Akte", "Akte"])
    assert added.status_code == 200
    fields = {"term": "File", "target": "de", "translation": "Datei", "note": "on a disk", "forbidden": ["Akte"]}
    assert added.json() == {**fields, "updated_at": added.json()["updated_at"]}
    assert (await put(ann, "FILE", "Dokument")).json()["note"] is None
    assert await listed(ann) == [("de", "FILE", "Dokument")]
    deleted = await put(ann, "file", None)
    assert (deleted.status_code, deleted.json()["translation"]) == (200, None) and await listed(ann) == []
    missing = await put(ann, "file", None)
    assert (missing.status_code, missing.json()["key"]) == (404, "translation.no_term")


async def test_terms_are_listed_by_language_and_term_of_the_own_team(world: World, ann: Caller) -> None:
    for target, term in [("de", "b"), ("pt_br", "x"), ("de", "C"), ("de", "a\u200bz"), ("fr", "é"), ("de", "a")]:
        assert (await put(ann, term, "t", target=target)).status_code == 200
    german = [("de", term, "t") for term in ("a", "a\u200bz", "b", "C")]
    assert await listed(ann) == [*german, ("fr", "é", "t"), ("pt-BR", "x", "t")]
    assert await listed(ann, "&target=DE") == german and await listed(ann, "&target=it") == []
    stranger = await world.person(ann.org, await world.team(ann.org), Role.ADMIN)
    assert await listed(stranger) == []


@pytest.mark.parametrize(
    ("body", "key", "pointer"),
    [
        ({"target": "german!"}, "translation.language", "/target"),
        ({"term": "..."}, "translation.words", "/term"),
        ({"term": "a " * 21}, "translation.words", "/term"),
        ({"term": "a\u202eb"}, "value.control", "/term"),
        ({"forbidden": ["?"]}, "translation.words", "/forbidden"),
        ({"forbidden": ["a"] * 6}, "value.max_length", "/forbidden"),
        ({"translation": None, "note": "x"}, "translation.delete_only", None),
        ({"term": "x" * 101}, "value.max_length", "/term"),
    ],
)
async def test_a_malformed_term_is_refused_by_name(
    ann: Caller, body: dict[str, Any], key: str, pointer: str | None
) -> None:
    answer = await ann.post("/api/glossary", {"term": "a", "target": "de", "translation": "b", **body})
    problem = answer.json()
    assert answer.status_code == 400, problem
    assert (
        (problem["errors"][0]["key"], problem["errors"][0]["pointer"]) == (key, pointer)
        if pointer
        else problem["key"] == key
    )


async def test_members_read_the_glossary_and_managers_change_it(world: World, ann: Caller) -> None:
    member = await world.person(ann.org, ann.team)
    await put(ann)
    assert await listed(member) == [("de", "file", "Datei")]
    assert (await put(member)).status_code == 403
    assert (await put(await world.person(ann.org, ann.team, Role.ADMIN), "x", "y")).status_code == 200


async def test_writers_at_the_same_time_keep_the_limit(ann: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glossary, "MAX_TERMS", 3)
    answers = await asyncio.gather(*(put(ann, f"term {n}", "x") for n in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200] * 3 + [409] * 3
    assert {answer.json()["key"] for answer in answers if answer.status_code == 409} == {"translation.terms"}
    assert len(await listed(ann)) == 3
    known = (await listed(ann))[0][1]
    assert (await put(ann, known, "y")).status_code == 200, "an update is always possible"


async def test_every_change_has_its_own_revision(ann: Caller) -> None:
    revision = "SELECT revision FROM glossaries WHERE target = 'de'"
    await asyncio.gather(*(put(ann, "same", f"text {n}") for n in range(5)))
    await put(ann, "same", None)
    await put(ann, "same", None)
    assert await ann.world.db.one(int, revision) == 6 and await listed(ann) == []
