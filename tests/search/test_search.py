"""Search over HTTP, on both databases."""

from typing import Any

import pytest

from teamspace import fulltext
from teamspace.core.principal import system
from teamspace.fulltext.domain import words
from teamspace.tenancy.schemas import OrgRole, Role
from tests.repository.help import put
from tests.support.world import Caller, World


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def write(caller: Caller, title: str, body: str = "", **more: Any) -> str:
    answer = await caller.post("/api/notes", {"title": title, "body": body, **more})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def search(caller: Caller, q: str, **query: Any) -> list[dict[str, Any]]:
    """All results, page by page."""
    items: list[dict[str, Any]] = []
    while True:
        answer = await caller.get("/api/search", params={"q": q, **query})
        assert answer.status_code == 200, answer.text
        page = answer.json()
        items += page["items"]
        if page["next_cursor"] is None:
            return items
        query["cursor"] = page["next_cursor"]


async def titles(caller: Caller, q: str, **query: Any) -> list[str]:
    return [item["title"] for item in await search(caller, q, **query)]


async def test_a_result_has_type_id_title_and_snippet(ann: Caller) -> None:
    note = await write(ann, "Trip", "We met in Zürich <b>.")
    (item,) = await search(ann, "zurich")
    read = (await ann.get(f"/api/notes/{note}")).json()
    assert 0 < item.pop("score") < 1
    assert item == {
        "type": "note",
        "id": note,
        "title": "Trip",
        "content_type": None,
        "snippet": "We met in <mark>Zürich</mark> &lt;b&gt;.",
        "version": 1,
        "updated_at": read["updated_at"],
    }


@pytest.mark.parametrize("kind", ["notes", "documents"])
async def test_a_snippet_contains_no_markdown(ann: Caller, kind: str) -> None:
    text = "## Storage\n\n- The **boats** go to [hall 3](https://halls.example/three) in _autumn_."
    await ann.post(f"/api/{kind}", {"title": "Winter", "body": text})
    snippet = "Storage The boats go to <mark>hall</mark> <mark>3</mark> in autumn. https://halls.example/three"
    assert [item["snippet"] for item in await search(ann, '"hall 3"')] == [snippet]
    assert await titles(ann, '"hall 3 in autumn"') == ["Winter"]
    assert await titles(ann, "halls.example") == ["Winter"], "link addresses are searchable"


async def test_results_are_ranked(ann: Caller) -> None:
    filler = "nothing of interest here " * 20
    await write(ann, "Long", f"budget {filler}{filler}")
    await write(ann, "Often", "budget budget budget")
    await write(ann, "Budget")
    await write(ann, "Once", f"budget {filler}")
    await write(ann, "Labelled", filler, tags=["budget"])
    await write(ann, "Other", filler)
    order = await titles(ann, "budget")
    assert [title for title in order if title != "Often"] == ["Budget", "Labelled", "Once", "Long"]
    assert order.index("Budget") < order.index("Often") < order.index("Once")


# fmt: off
MATCHES = [
    ("Zürich",            "zurich"),       ("Zurich",        "Zürich"),    ("Málaga",     "MALAGA"),
    ("Ελλάδα",            "ελλαδα"),       ("Straße",        "strasse"),   ("Łódź",       "lodz"),
    ("preparation",       "prep"),         ("a big plan",    '"big plan"'), ("a big plan", "plan big"),
    ("我住在東京都新宿区",    "新宿"),          ("我住在東京都",    "東京都"),      ("関東",        "東"),
    ("カタカナのテスト",      "ｶﾀｶﾅ"),         ("ひらがな",       "らが"),        ("서울에서 만나요",  "서울"),
    ("हिन्दी में",              "हिन्दी"),            ("ภาษาไทย",      "ไทย"),         ("e-mail",     "e-mail"),
    ("x" * 300,           "x" * 200),      ("tags",          "label"),
]
# fmt: on


@pytest.mark.parametrize(("text", "query"), MATCHES)
async def test_a_matching_query_finds_the_text(ann: Caller, text: str, query: str) -> None:
    await write(ann, "First", text, tags=["label"])
    await write(ann, "Second", "something else")
    assert await titles(ann, query) == ["First"]


@pytest.mark.parametrize(
    ("text", "query"),
    [("plan of big things", '"big plan"'), ("prep", "preparation"), ("京東", "東京"), ("दा", "दी"), ("a", "b")],
)
async def test_another_query_does_not_find_the_text(ann: Caller, text: str, query: str) -> None:
    await write(ann, "First", text)
    assert await titles(ann, query) == []


async def test_every_word_must_match_in_any_field(ann: Caller) -> None:
    await write(ann, "Alpha", "beta")
    await write(ann, "Alpha", "gamma")
    assert len(await search(ann, "alpha beta")) == 1
    assert await search(ann, "alpha delta") == []


async def test_updates_and_deletions_are_indexed(world: World, ann: Caller) -> None:
    note = await write(ann, "First title", "first body", tags=["first"])
    await ann.put(f"/api/notes/{note}", {"body": "second body"})
    assert await titles(ann, '"first body"') == []
    await ann.put(f"/api/notes/{note}", {"title": "Second", "tags": []})
    assert await titles(ann, "first") == []
    assert await titles(ann, "second") == ["Second"]
    await ann.put(f"/api/notes/{note}", {"visibility": "team"})
    assert await titles(ann, "second body") == ["Second"]
    assert (await ann.delete(f"/api/notes/{note}")).status_code == 204
    assert await titles(ann, "second") == []
    await ann.delete("/api/trash")
    assert await world.db.one(int, "SELECT COUNT(*) FROM texts") == 0


@pytest.mark.parametrize("size", [1, 3, 7])
async def test_pages_are_complete_without_duplicates(ann: Caller, size: int) -> None:
    notes = [await write(ann, "Same", "common " * (number % 4)) for number in range(20)]
    await write(ann, "Other")
    items = await search(ann, "same", limit=size)
    assert sorted(item["id"] for item in items) == sorted(notes)
    assert [(item["score"], item["id"]) for item in items] == sorted(
        ((item["score"], item["id"]) for item in items), reverse=True
    )


HOSTILE = [
    '"*', '"', '""', "*", "'", "''", "NEAR(", "NEAR(a b, 2)", "col:", "title:x", "scope : x", "{title} : x", "a AND", "OR",
    "NOT x", "^a", "a + b", "-a", "(", ")", "a\x00b", "\x00", "!!!", "a & b | !c", "a:*", "<->", "\\", "a\\'b", "%", "$1",
    ":q", "🎉", "\u0301", "\ud7ff", "\u200b", "; DROP TABLE texts; --", "a" * 256, "漢" * 256, '"' * 256, "a " * 128,
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.about("core", "fulltext")
@pytest.mark.parametrize("q", HOSTILE, ids=range(len(HOSTILE)))
async def test_query_syntax_of_the_database_is_not_interpreted(ann: Caller, q: str) -> None:
    await write(ann, "Innocent")
    answer = await ann.get("/api/search", params={"q": q})
    if "\x00" in q:
        assert answer.status_code == 400
    else:
        assert (answer.status_code, answer.json()) == (200, {"items": [], "next_cursor": None})


@pytest.mark.by_turns
@pytest.mark.parametrize(
    "query",
    [
        {}, {"q": ""}, {"q": "x" * 257}, {"q": "x", "types": "job"}, {"q": "x", "types": ","}, {"q": "x", "scope": "all"},
        {"q": "x", "limit": "0"}, {"q": "x", "cursor": "x"}, {"q": "x", "cursor": "eA"}, {"q": "x", "cursor": "LTEvYQ"},
        {"q": "x", "fields": "title"}, {"q": "*", "cursor": "x"},
    ],
    ids=str,
)  # fmt: skip
async def test_an_invalid_query_is_refused(ann: Caller, query: dict[str, str]) -> None:
    answer = await ann.get("/api/search", params=query)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


async def test_results_can_be_limited_by_type(ann: Caller) -> None:
    await write(ann, "Plan")
    assert await titles(ann, "plan", types="note") == ["Plan"]
    assert await titles(ann, "plan", types="object,note") == ["Plan"]
    assert await titles(ann, "plan", types=["object", "note"]) == ["Plan"]
    assert await titles(ann, "plan", types="object") == []
    assert await titles(ann, "plan", types=["object", "entity"]) == []


@pytest.mark.both_databases
async def test_a_document_is_told_from_other_files(ann: Caller) -> None:
    await write(ann, "Berth plan")
    await ann.post("/api/documents", {"title": "Berth plan 2027", "body": "Ramps"})
    await put(ann, "berth-plan.txt", b"Ramps", content_type="text/plain")
    found = {item["title"]: item["content_type"] for item in await search(ann, "berth plan")}
    assert found == {"Berth plan": None, "Berth plan 2027": "text/markdown", "berth-plan.txt": "text/plain"}


async def test_company_readers_can_search_the_company(world: World, ann: Caller) -> None:
    other_team = await world.team(ann.org)
    reader = await world.person(ann.org, other_team, Role.VIEWER, org_role=OrgRole.READER)
    await write(ann, "Plan of the team", visibility="team")
    await write(ann, "Plan of my own")
    assert await titles(reader, "plan") == []
    assert await titles(reader, "plan", scope="org") == ["Plan of the team"]
    refused = await (await world.person(ann.org, other_team)).get("/api/search", params={"q": "plan", "scope": "org"})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")


async def test_a_scoped_token_finds_only_what_it_can_read(world: World, ann: Caller) -> None:
    await write(ann, "Plan")
    search_only = await world.token(ann, scope=["search"])
    assert await titles(search_only, "plan") == []
    assert await titles(await world.token(ann, scope=["search", "notes:read"]), "plan") == ["Plan"]
    refused = await (await world.token(ann, scope=["notes:read"])).get("/api/search", params={"q": "plan"})
    assert refused.json()["code"] == "out_of_scope"


async def test_scores_do_not_depend_on_invisible_notes(world: World, ann: Caller) -> None:
    await write(ann, "Plan", "a secret word")
    before = await search(ann, "secret")
    org, team = await world.company()
    stranger = await world.person(org, team)
    for _ in range(5):
        await write(stranger, "Secret", "secret " * 10, visibility="team")
    assert await search(ann, "secret") == before


async def test_texts_of_an_older_tokenizer_are_indexed_again(world: World, ann: Caller, monkeypatch: Any) -> None:
    note = await write(ann, "Plan")
    async with world.db.maintenance(system()) as tx:
        await tx.run("UPDATE texts SET made_by = 0, title_words = '', body_words = '', label_words = ''")
    assert await titles(ann, "plan") == []
    assert await fulltext.refresh(world.db) == 1
    assert await fulltext.refresh(world.db) == 0
    assert [item["id"] for item in await search(ann, "plan")] == [note]
    monkeypatch.setattr(words, "TOKENIZER_VERSION", words.TOKENIZER_VERSION + 1)
    assert await fulltext.refresh(world.db) == 1


async def test_very_long_texts_are_searchable(ann: Caller) -> None:
    await write(ann, "Long", "".join(f"{number:x} 漢字{number} " for number in range(40_000))[:500_000])
    await write(ann, "Wide", "".join(chr(0x4E00 + number % 20_000) for number in range(160_000)))
    assert await titles(ann, "9c3 2499") == ["Long"]
