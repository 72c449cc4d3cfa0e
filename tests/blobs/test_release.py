"""Blobs are released when their last reference goes, and collected within ten minutes."""

from collections.abc import Awaitable, Callable

import pytest

from teamspace import blobs, tenancy, wiring
from teamspace.core.principal import Call, Principal
from teamspace.repository.domain import multipart
from teamspace.repository.schemas import UploadPartRow, UploadRow, VersionDraft, WriteCondition
from tests.identity.help import Hands, broken
from tests.repository.help import put
from tests.support.world import Caller, World

SIZES = pytest.mark.parametrize("size", [10, blobs.SMALL + 1], ids=["small", "large"])


class Uploads:
    """Multipart uploads, as the S3 path makes them."""

    def __init__(self, world: World, who: Principal, size: int) -> None:
        self._world, self._who, self._size = world, who, size

    async def begin(self) -> UploadRow:
        draft = VersionDraft("a.bin", "a.bin", "application/octet-stream")
        return await multipart.begin(self._world.db, self._who, draft)

    async def part(self, upload: UploadRow, number: int, content: bytes) -> UploadPartRow:
        files, who = self._world.app.files, self._who
        async with blobs.stage(files, blobs.as_stream(content * self._size)) as staged:
            await blobs.store_staged(self._world.db, files, who, who.org_id, staged)
            return await multipart.add_part(self._world.db, who, upload, number, staged, None)

    async def replace(self) -> None:
        upload = await self.begin()
        await self.part(upload, 1, b"a")
        await self.part(upload, 1, b"b")

    async def leave_part_out(self) -> None:
        upload = await self.begin()
        chosen = [await self.part(upload, 1, b"b")]
        await self.part(upload, 2, b"a")
        await multipart.complete(
            self._world.db, self._world.app.queue, self._who, upload, chosen, None, WriteCondition()
        )  # fmt: skip

    async def abort(self) -> None:
        upload = await self.begin()
        await self.part(upload, 1, b"a")
        await multipart.abort(self._world.db, self._who, upload)


RELEASES: dict[str, Callable[[Uploads], Awaitable[None]]] = {
    "a replaced part": Uploads.replace, "a part left out": Uploads.leave_part_out, "an aborted upload": Uploads.abort,
}  # fmt: skip


@SIZES
@pytest.mark.parametrize("release", RELEASES)
async def test_the_bytes_of_an_unused_part_are_released(world: World, hands: Hands, release: str, size: int) -> None:
    ann = await world.bootstrap()
    who = await tenancy.act_for(world.db, Call(request_id="test"), ann.user_id, ann.team.id)
    await RELEASES[release](Uploads(world, who, size))
    assert await broken(world) == []
    hands.forward(10 * 60)
    assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=300) == 1
    assert await broken(world) == []


@SIZES
async def test_the_bytes_of_a_stale_upload_are_released(world: World, hands: Hands, size: int) -> None:
    ann = await world.bootstrap()
    who = await tenancy.act_for(world.db, Call(request_id="test"), ann.user_id, ann.team.id)
    uploads = Uploads(world, who, size)
    await uploads.part(await uploads.begin(), 1, b"a")
    hands.forward(multipart.UPLOAD_EXPIRY + 1)
    assert await multipart.abort_stale_uploads(world.db) == 1
    hands.forward(10 * 60)
    assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=300) == 1


@SIZES
async def test_the_bytes_of_a_deleted_object_are_released(world: World, hands: Hands, size: int) -> None:
    ann = await world.bootstrap()
    first = await put(ann, "a.bin", b"a" * size)
    await put(ann, "b.bin", b"a" * size)
    hands.forward(2 * 24 * 3600)
    await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=300)
    await _delete_all(ann, first["id"])
    hands.forward(10 * 60)
    assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=300) == 0, (
        "another object has the same bytes"
    )
    (other,) = (await ann.get("/api/repo")).json()["items"]
    await _delete_all(ann, other["id"])
    assert await broken(world) == []
    hands.forward(10 * 60)
    assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=300) == 1


async def _delete_all(caller: Caller, object_id: str) -> None:
    assert (await caller.delete_for_good(f"/api/repo-obj/{object_id}")).status_code == 204
