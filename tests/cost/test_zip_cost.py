"""The list of a zip, which anyone can send as a form without a credential, at its longest and worst."""

import base64
import io
import os
import zipfile
from urllib.parse import quote

import httpx2
import pytest

from teamspace.core import clock
from teamspace.core.ids import new_id
from teamspace.repository.domain import addresses, zipping
from teamspace.repository.routes import MAX_FORM
from teamspace.repository.schemas import ZipClaim, ZipRequest
from tests.cost.help import LIMIT, longest_step
from tests.repository.help import put
from tests.support.rows import NUMBERS, analyze, insert_in_batches
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases
OBJECTS = (
    "INSERT INTO objects (id, org_id, team_id, owner_id, key, filename, content_type, visibility, version, numbered,"
    f" removed, size, etag, text_state, written_at, created_at, updated_at) {NUMBERS} SELECT 'o' || n, :org, :team, :owner,"
    " 'in/' || n, 'x', 'text/plain', 'private', 1, 1, FALSE, 1, '', 'none', :now, :now, :now FROM numbers",
    "INSERT INTO object_versions (id, object_id, org_id, number, removal, size, blob, etag, content_type, filename,"
    f" author_id, actor_kind, created_at) {NUMBERS} SELECT 'v' || n, 'o' || n, :org, 1, FALSE, 1, :blob, '', 'text/plain',"
    " 'x', :owner, 'human', :now FROM numbers",
)


async def send(world: World, form: bytes) -> httpx2.Response:
    return await world.client.post("/api/repo-zip/form", content=form)


def sign(world: World, token_id: str, request: ZipRequest) -> str:
    return addresses._sign(world.db, addresses._ZIP, ZipClaim(token_id, int(clock.now()) + 60, request))


def longest() -> ZipRequest:
    """As many ids and prefixes as a list can have, each as long as it can be."""
    prefixes = [f"{number:03}" + "\U0001f600" * 1021 for number in range(100)]
    return ZipRequest([new_id() for _ in range(zipping.MAX_FILES)], prefixes, "n" * 255)


def forged(world: World) -> dict[str, bytes]:
    signed = sign(world, new_id(), longest())
    random = base64.urlsafe_b64encode(os.urandom(MAX_FORM // 4 * 3 - 100)).rstrip(b"=")
    content = addresses._sign(world.db, addresses._CONTENT, ZipClaim(new_id(), int(clock.now()) + 60, longest()))
    return {
        "the first letter changed": f"list={'B' if signed[0] == 'A' else 'A'}{signed[1:]}".encode(),
        "the last letter left out": f"list={signed[:-1]}".encode(),
        "random bytes": b"list=" + random,
        "no base64": b"list=" + b"\xff" * (MAX_FORM - 5),
        "percent signs": b"list=" + quote("\xe9" * (MAX_FORM // 6 - 10)).encode(),
        "padding": b"list=" + b"=" * (MAX_FORM - 5),
        "another purpose": f"list={content}".encode(),
        "another field": b"a=" + random,
        "a token that nobody has": f"list={signed}".encode(),
    }


async def test_forged_lists_are_refused_alike_without_blocking_the_loop(world: World) -> None:
    for name, form in forged(world).items():
        assert len(form) <= MAX_FORM
        cost, answer = await longest_step(send(world, form))
        assert (answer.status_code, answer.json()["key"]) == (404, "request.not_found"), name
        assert cost < LIMIT, (name, cost)
    assert (await send(world, b"list=" + b"A" * MAX_FORM)).status_code == 413


async def test_the_largest_zip_does_not_block_the_loop(world: World) -> None:
    """Every file that the list can name: half of them are there, and the others are gone."""
    ann = await world.bootstrap()
    await fill(world, ann, zipping.MAX_FILES // 2)
    ids = [f"o{number}" for number in range(zipping.MAX_FILES)]
    token = await world.db.one(str, "SELECT id FROM tokens WHERE user_id = :id", id=ann.user_id)
    assert token
    cost, answer = await longest_step(send(world, f"list={sign(world, token, ZipRequest(ids))}".encode()))
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert len(archive.namelist()) == zipping.MAX_FILES // 2 + 1
        assert len(archive.read(zipping.MISSING).split()) == zipping.MAX_FILES // 2
    assert cost < LIMIT


async def fill(world: World, ann: Caller, number: int) -> None:
    file = await put(ann, "file.txt", b"x")
    blob = await world.db.one(str, "SELECT blob FROM object_versions WHERE object_id = :id", id=file["id"])
    facts = {"blob": blob, "org": ann.org.id, "team": ann.team.id, "owner": ann.user_id, "now": clock.stamp()}
    await insert_in_batches(world, OBJECTS, facts, 0, number, 1000)
    await analyze(world)
