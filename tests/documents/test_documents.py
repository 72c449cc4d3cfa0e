"""Text documents: a title and Markdown; each save is a version."""

import asyncio

import pytest

from teamspace.tenancy.schemas import Role
from tests.repository.help import fetch, keys, put, share
from tests.support.world import Caller, World


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def create(caller: Caller, title: str = "Plan", **more: str) -> dict[str, object]:
    answer = await caller.post("/api/documents", {"title": title, **more})
    assert answer.status_code == 201, answer.text
    document: dict[str, object] = answer.json()
    return document


async def test_a_document_is_an_object_of_the_repository(ann: Caller) -> None:
    document = await create(ann, "Harbour: the *plan*!", body="# Plan\n")
    assert (document["key"], document["version"], document["visibility"]) == (
        "documents/harbour-the-plan.md",
        1,
        "private",
    )
    found = (await ann.get(f"/api/documents/{document['id']}")).json()
    assert found == document
    assert (await fetch(ann, str(document["id"]))).content == b"# Plan\n"
    seen = (await ann.get(f"/api/repo-obj/{document['id']}")).json()
    assert seen["content_type"] == document["content_type"] == "text/markdown"
    assert seen["filename"] == "harbour-the-plan.md"


@pytest.mark.both_databases
async def test_documents_with_the_same_title_get_different_keys(ann: Caller) -> None:
    documents = await asyncio.gather(*(create(ann, "Plan", body=str(number)) for number in range(8)))
    assert len({each["key"] for each in documents}) == 8
    assert {(await ann.get(f"/api/documents/{each['id']}")).json()["body"] for each in documents} == set("01234567")


@pytest.mark.parametrize(
    ("title", "key"),
    [("日本語 メモ", "documents/日本語-メモ.md"), ("???", "documents/document.md"), ("a/../b", "documents/a-b.md"),
     ("É" * 200, f"documents/{'é' * 80}.md")],
)  # fmt: skip
async def test_any_title_gives_a_valid_key(ann: Caller, title: str, key: str) -> None:
    assert (await create(ann, title))["key"] == key


async def test_each_save_is_a_version_and_old_ones_stay(ann: Caller) -> None:
    document = await create(ann, body="one")
    answer = await ann.put(f"/api/documents/{document['id']}", {"body": "two"}, headers={"if-match": '"1"'})
    assert (answer.status_code, answer.headers["etag"], answer.json()["version"]) == (200, '"2"', 2)
    answer = await ann.put(f"/api/documents/{document['id']}", {"title": "The plan"})
    assert (answer.json()["version"], answer.json()["body"], answer.json()["title"]) == (3, "two", "The plan")
    old = (await ann.get(f"/api/documents/{document['id']}?version=1")).json()
    assert (old["body"], old["title"], old["version"]) == ("one", "Plan", 1)
    assert (await ann.get(f"/api/documents/{document['id']}?version=4")).status_code == 404


async def test_a_save_over_an_older_version_is_refused_with_the_current_one(ann: Caller) -> None:
    document = await create(ann, body="one")
    await ann.put(f"/api/documents/{document['id']}", {"body": "two"})
    answer = await ann.put(f"/api/documents/{document['id']}", {"body": "mine"}, headers={"if-match": '"1"'})
    assert (answer.status_code, answer.json()["code"], answer.json()["version"]) == (412, "version_mismatch", 2)
    assert (await ann.get(f"/api/documents/{document['id']}")).json()["body"] == "two"


@pytest.mark.both_databases
async def test_concurrent_changes_of_title_and_body_are_both_kept(ann: Caller) -> None:
    document = await create(ann, body="old")
    await asyncio.gather(
        ann.put(f"/api/documents/{document['id']}", {"body": "new"}),
        ann.put(f"/api/documents/{document['id']}", {"title": "New"}),
    )
    found = (await ann.get(f"/api/documents/{document['id']}")).json()
    assert (found["title"], found["body"], found["version"]) == ("New", "new", 3)


@pytest.mark.both_databases
async def test_concurrent_changes_of_the_title_are_all_versions(ann: Caller) -> None:
    document = await create(ann)
    answers = await asyncio.gather(
        *(ann.put(f"/api/documents/{document['id']}", {"title": f"Plan {number}"}) for number in range(6))
    )
    assert [answer.status_code for answer in answers] == [200] * 6
    assert sorted(answer.json()["version"] for answer in answers) == [2, 3, 4, 5, 6, 7]


async def test_uploaded_markdown_is_a_document_too(ann: Caller) -> None:
    upload = await put(ann, "notes/week.md", b"Text")
    await put(ann, "notes/week.txt", b"Text", content_type="text/plain")
    listed = (await ann.get("/api/documents")).json()["items"]
    assert [(each["id"], each["title"]) for each in listed] == [(upload["id"], "week")]
    changed = await ann.put(f"/api/documents/{upload['id']}", {"body": "Other"})
    assert changed.json()["key"] == "notes/week.md"
    assert (await keys(ann, "?prefix=notes/")) == ["notes/week.md", "notes/week.txt"]


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("key", "title"), [("notes/pier-2.md", "pier-2"), ("pier-2.txt", "pier-2.txt"), ("notes/md", "md")]
)
async def test_a_file_is_called_the_same_everywhere(world: World, ann: Caller, key: str, title: str) -> None:
    bob = await world.person(ann.org, ann.team)
    content_type = "text/markdown" if key.startswith("notes/") else "text/plain"
    id = (await put(ann, key, b"Text", "?visibility=team", content_type=content_type))["id"]
    kind = "document" if content_type == "text/markdown" else "file"
    await ann.put(f"/api/favourites/{kind}/{id}", None)
    seen = [
        (await ann.get(f"/api/repo-obj/{id}")).json(),
        *(await ann.get("/api/repo")).json()["items"],
        *(await ann.get("/api/search", params={"q": "md" if title == "md" else "pier", "types": "object"})).json()[
            "items"
        ],
        *(await ann.get("/api/favourites")).json()["items"],
        *(await bob.get("/api/activity")).json()["items"],
    ]
    await ann.delete(f"/api/repo-obj/{id}")
    seen += (await ann.get("/api/trash")).json()["items"]
    assert {each["title"] for each in seen} == {title}
    assert len(seen) >= 5


async def test_other_objects_are_not_found_as_documents(ann: Caller) -> None:
    other = await put(ann, "a.txt", content_type="text/plain")
    for method, body in (("GET", None), ("PUT", {"title": "x"}), ("DELETE", None)):
        assert (await ann(method, f"/api/documents/{other['id']}", body)).status_code == 404
    assert (await ann.get(f"/api/repo-obj/{other['id']}")).status_code == 200


async def test_a_shared_document_stays_with_its_team_and_owner_when_edited(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, await world.team(ann.org), Role.MEMBER)
    document = await create(ann, body="one")
    assert (await bob.put(f"/api/documents/{document['id']}", {"body": "two"})).status_code == 404
    await share(ann, str(document["id"]), bob, "edit")
    assert (await bob.put(f"/api/documents/{document['id']}", {"body": "two"})).status_code == 200
    refused = await bob.put(f"/api/documents/{document['id']}", {"visibility": "team"})
    assert refused.status_code == 403
    found = (await ann.get(f"/api/documents/{document['id']}")).json()
    assert (found["body"], found["team_id"], found["owner"]) == ("two", ann.team.id, ann.user_id)
    versions = (await ann.get(f"/api/repo-obj/{document['id']}")).json()["versions"]
    assert [version["author"] for version in versions] == [bob.user_id, ann.user_id]


async def test_a_document_is_deleted_with_its_versions(ann: Caller) -> None:
    document = await create(ann, body="one")
    await ann.put(f"/api/documents/{document['id']}", {"body": "two"})
    stale = await ann.delete(f"/api/documents/{document['id']}", headers={"if-match": '"1"'})
    assert stale.status_code == 412
    assert (await ann.delete(f"/api/documents/{document['id']}")).status_code == 204
    assert (await ann.get(f"/api/documents/{document['id']}")).status_code == 404
    assert (await ann.get("/api/documents")).json()["items"] == []


@pytest.mark.parametrize("body", [{}, {"title": ""}, {"title": "x", "visibility": "all"}, {"title": "x", "owner": "y"}])
async def test_an_invalid_document_is_refused(ann: Caller, body: dict[str, str]) -> None:
    assert (await ann.post("/api/documents", body)).status_code == 400


async def test_an_empty_change_is_refused(ann: Caller) -> None:
    document = await create(ann)
    assert (await ann.put(f"/api/documents/{document['id']}", {})).status_code == 400


async def test_tags_are_those_of_notes_and_stay_when_the_text_changes(ann: Caller) -> None:
    answer = await ann.post("/api/documents", {"title": "Plan", "tags": ["ﬁrst", "b", "first"]})
    assert answer.json()["tags"] == ["first", "b"]
    path = f"/api/documents/{answer.json()['id']}"
    assert (await ann.put(path, {"body": "x"})).json()["tags"] == ["first", "b"]
    assert (await ann.put(path, {"tags": ["c", "b"]})).json()["tags"] == ["c", "b"]
    assert (await ann.get(path)).json()["tags"] == ["c", "b"]
    await create(ann, "Other")
    listed = (await ann.get("/api/documents")).json()["items"]
    assert [item["tags"] for item in listed] == [[], ["c", "b"]]
    assert [item["title"] for item in (await ann.get("/api/documents?tag=c")).json()["items"]] == ["Plan"]
    assert (await ann.get("/api/documents?tag=first")).json()["items"] == []
    found = (await ann.get("/api/search?q=c")).json()["items"]
    assert [item["title"] for item in found] == ["Plan"]
    assert (await ann.put(path, {"tags": []})).json()["tags"] == []


async def test_a_document_has_at_most_twenty_tags(ann: Caller) -> None:
    answer = await ann.post("/api/documents", {"title": "Plan", "tags": [str(number) for number in range(21)]})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/tags")
