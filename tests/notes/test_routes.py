"""Notes over HTTP, as their users meet them."""

from tests.support.world import World


async def test_a_note_is_created_read_changed_and_deleted(world: World) -> None:
    ann = await world.bootstrap()
    made = await ann.post("/api/notes", {"title": "Plan", "body": "First line", "tags": ["a", "b", "a"]})
    assert made.status_code == 201
    assert made.headers["etag"] == '"1"'
    note = made.json()
    assert (note["visibility"], note["tags"], note["owner"]) == ("private", ["a", "b"], ann.user_id)

    assert (await ann.get(f"/api/notes/{note['id']}")).json() == note
    changed = await ann.put(f"/api/notes/{note['id']}", {"body": "Second"})
    assert changed.json() == note | {"body": "Second", "version": 2, "updated_at": changed.json()["updated_at"]}

    assert (await ann.delete(f"/api/notes/{note['id']}")).status_code == 204
    assert (await ann.get(f"/api/notes/{note['id']}")).status_code == 404
