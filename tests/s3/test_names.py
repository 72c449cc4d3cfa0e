"""What S3 has no word for stays when S3 writes: a document's title, and the name under which a file was uploaded."""

from tests.repository.help import put
from tests.s3.inside import Inside
from tests.support.world import World


async def test_an_overwrite_keeps_the_title_of_a_document(world: World) -> None:
    ann = await world.bootstrap()
    bucket = await Inside.of(ann)
    made = (await ann.post("/api/documents", {"title": "Harbour: the plan", "body": "first"})).json()
    await bucket("PUT", made["key"], "", b"second")
    found = (await ann.get(f"/api/documents/{made['id']}")).json()
    assert (found["title"], found["body"], found["version"]) == ("Harbour: the plan", "second", 2)
    hits = (await ann.get("/api/search?q=harbour")).json()["items"]
    assert [hit["title"] for hit in hits] == ["Harbour: the plan"]


async def test_what_is_no_document_any_more_has_no_title(world: World) -> None:
    ann = await world.bootstrap()
    bucket = await Inside.of(ann)
    made = (await ann.post("/api/documents", {"title": "Plan", "body": "first"})).json()
    await bucket("PUT", made["key"], "", b"\x89PNG", content_type="image/png")
    assert await world.db.one(int, "SELECT COUNT(*) FROM objects WHERE title IS NOT NULL") == 0


async def test_a_file_that_is_uploaded_again_keeps_its_name(world: World) -> None:
    ann = await world.bootstrap()
    bucket = await Inside.of(ann)
    made = await put(ann, "scans/0001", b"first", "?filename=Invoice%20May.pdf")
    await bucket("PUT", "scans/0001", "", b"second")
    again = await put(ann, "scans/0001", b"third")
    assert (again["id"], again["version"], again["filename"]) == (made["id"], 3, "Invoice May.pdf")
    renamed = await put(ann, "scans/0001", b"fourth", "?filename=0001")
    assert renamed["filename"] == "0001"


async def test_what_was_deleted_leaves_no_name(world: World) -> None:
    ann = await world.bootstrap()
    bucket = await Inside.of(ann)
    await put(ann, "scans/0001", b"first", "?filename=Invoice%20May.pdf")
    await bucket("DELETE", "scans/0001")
    await bucket("PUT", "scans/0001", "", b"second")
    assert (await put(ann, "scans/0001", b"third"))["filename"] == "0001"
