"""Writes over S3 keep what S3 cannot express: a document's title and a file's original name."""

from tests.repository.help import put
from tests.s3.in_process import InProcessBucket
from tests.support.world import World


async def test_an_overwrite_keeps_the_title_of_a_document(world: World) -> None:
    ann = await world.bootstrap()
    bucket = await InProcessBucket.of(ann)
    created = (await ann.post("/api/documents", {"title": "Harbour: the plan", "body": "first"})).json()
    await bucket("PUT", created["key"], "", b"second")
    found = (await ann.get(f"/api/documents/{created['id']}")).json()
    assert (found["title"], found["body"], found["version"]) == ("Harbour: the plan", "second", 2)
    hits = (await ann.get("/api/search?q=harbour")).json()["items"]
    assert [hit["title"] for hit in hits] == ["Harbour: the plan"]


async def test_an_object_that_is_no_longer_a_document_has_no_title(world: World) -> None:
    ann = await world.bootstrap()
    bucket = await InProcessBucket.of(ann)
    created = (await ann.post("/api/documents", {"title": "Plan", "body": "first"})).json()
    await bucket("PUT", created["key"], "", b"\x89PNG", content_type="image/png")
    assert await world.db.one(int, "SELECT COUNT(*) FROM objects WHERE title IS NOT NULL") == 0


async def test_a_new_version_keeps_the_filename(world: World) -> None:
    ann = await world.bootstrap()
    bucket = await InProcessBucket.of(ann)
    created = await put(ann, "scans/0001", b"first", "?filename=Invoice%20May.pdf")
    await bucket("PUT", "scans/0001", "", b"second")
    again = await put(ann, "scans/0001", b"third")
    assert (again["id"], again["version"], again["filename"]) == (created["id"], 3, "Invoice May.pdf")
    renamed = await put(ann, "scans/0001", b"fourth", "?filename=0001")
    assert renamed["filename"] == "0001"


async def test_a_deleted_file_does_not_pass_on_its_filename(world: World) -> None:
    ann = await world.bootstrap()
    bucket = await InProcessBucket.of(ann)
    await put(ann, "scans/0001", b"first", "?filename=Invoice%20May.pdf")
    await bucket("DELETE", "scans/0001")
    await bucket("PUT", "scans/0001", "", b"second")
    assert (await put(ann, "scans/0001", b"third"))["filename"] == "0001"
