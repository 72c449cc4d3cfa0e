"""Indexing of notes that are older than the index."""

from teamspace import fulltext
from teamspace.core.db import migrate
from tests.support.world import World

_UNDO = {
    "sqlite": "DROP TABLE texts_index; DROP TABLE texts;",
    "postgres": "DROP TABLE texts; DROP FUNCTION texts_vector;",
}


async def test_older_notes_are_found_after_a_refresh(world: World) -> None:
    ann = await world.bootstrap()
    for title in ("Plän", "Second"):
        await ann.post("/api/notes", {"title": title, "body": "text", "tags": ["label one"]})
    await world.db.engine.script(_UNDO[world.db.dialect.name] + "DELETE FROM migrations WHERE number = 12;")
    assert await migrate(world.db.engine) == ["0012_fulltext.sql"]
    assert await fulltext.refresh(world.db) == 2
    for q, expected in {"plan": 1, "text": 2, "label": 2, '"label one"': 2}.items():
        assert len((await ann.get("/api/search", params={"q": q})).json()["items"]) == expected
    assert (await ann.post("/api/notes", {"title": "Third"})).status_code == 201
