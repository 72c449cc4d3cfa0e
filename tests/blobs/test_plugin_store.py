"""A plugin's blob store under the server: what its functions get, its faults, its limits, crashes, and backups."""

import asyncio
import hashlib
import os
import threading
import time
import tracemalloc
from pathlib import Path
from typing import Any

import msgspec
import pytest

from teamspace import blobs, ops, wiring
from teamspace.blobs import BlobMissing, DamagedBlob, PluginStore
from teamspace.blobs.domain import plugin_store
from teamspace.core.errors import Overloaded, StorageFull, TooLarge
from teamspace.core.metrics import Metrics
from teamspace.core.plugin_calls import PluginGuard
from teamspace.core.principal import system
from teamspace.core.tables import BootError
from teamspace.settings import Settings, load
from tests.blobs.plugin_stores import EXAMPLE, AsyncBlobs, adapt, open_example
from tests.ops.help import environment
from tests.plugins.help import world_with, write_plugin
from tests.repository.help import fetch, put, send
from tests.support.served import Served, teamspace
from tests.support.world import Caller
from tests.support.world import world as open_world

DATA = b"some bytes of a company"
NAME = hashlib.sha256(DATA).hexdigest()
ORG = "01a1dd94-b5f4-7000-864e-c7fd39e2472c"
IN_EXAMPLE = {"SERVICE_BLOB_STORE": "sqlite-blobs", "SERVICE_PLUGINS": str(EXAMPLE)}


@pytest.fixture
def example_settings(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, blob_store="sqlite-blobs", plugins=(EXAMPLE,))


async def put_bytes(files: blobs.BlobStore, data: bytes = DATA, org_id: str = ORG) -> str:
    async with blobs.stage(files, blobs.as_stream(data)) as staged:
        await files.put(org_id, staged.digest, staged.path)
    return staged.digest


async def get_bytes(files: blobs.BlobStore, name: str = NAME, size: int | None = None) -> bytes:
    return b"".join([chunk async for chunk in files.get(ORG, name, size=size)])


# What the functions get


class Recording(AsyncBlobs):
    """Notes its calls, and whether they are in a thread."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []

    async def put(self, org_id: str, digest: str, data: bytes) -> None:
        self.calls.append(("put", org_id, digest, data))
        await super().put(org_id, digest, data)

    def stat(self, org_id: str, digest: str) -> Any:
        self.calls.append(("stat", org_id, digest, threading.current_thread() is threading.main_thread()))
        return super().stat(org_id, digest)


async def test_the_functions_get_a_company_and_a_digest_and_nothing_else(tmp_path: Path) -> None:
    store = Recording()
    files = adapt(store, tmp_path / "blobs")
    await put_bytes(files)
    await put_bytes(files, org_id="")
    assert store.calls == [("put", ORG, NAME, DATA), ("put", "instance", NAME, DATA)]


async def test_what_is_not_async_is_called_in_a_thread_and_may_return_an_awaitable(tmp_path: Path) -> None:
    store = Recording()
    assert await adapt(store, tmp_path / "blobs").stat(ORG, NAME) is None
    assert store.calls == [("stat", ORG, NAME, False)]


@pytest.mark.parametrize(("namespace", "digest"), [("../..", NAME), ("a/b", NAME), (ORG, "../" * 21), (ORG, NAME[:-1])])
async def test_no_other_name_reaches_the_plugin(tmp_path: Path, namespace: str, digest: str) -> None:
    store = Recording()
    files = adapt(store, tmp_path / "blobs")
    for call in (files.stat(namespace, digest), files.delete(namespace, digest), anext(files.get(namespace, digest))):
        with pytest.raises(ValueError, match="not a company id, or not a digest"):
            await call
    assert store.calls == []


# Faults


class Failing(AsyncBlobs):
    """Does `fault` in every function."""

    def __init__(self, fault: Any) -> None:
        super().__init__()
        self._fault = fault

    async def put(self, org_id: str, digest: str, data: bytes) -> None:
        await self._fail()

    async def get(self, org_id: str, digest: str) -> bytes | None:
        return await self._fail()

    async def delete(self, org_id: str, digest: str) -> None:
        await self._fail()

    async def stat(self, org_id: str, digest: str) -> int | None:
        return await self._fail()

    async def _fail(self) -> Any:
        if self._fault == "hang":
            await asyncio.sleep(3600)
        if isinstance(self._fault, BaseException):
            raise self._fault
        return self._fault


@pytest.mark.parametrize("fault", [ZeroDivisionError("secret detail"), SystemExit(3), KeyError("x"), "hang"], ids=repr)
async def test_a_store_that_fails_costs_its_request_and_is_named(
    tmp_path: Path, fault: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(plugin_store, "SECONDS", 0.05)
    metrics = Metrics()
    files = PluginStore("stored", "storing", Failing(fault), PluginGuard(metrics), tmp_path / "blobs", 0)
    with pytest.raises(StorageFull, match="The blob store stored did not take a file"):
        await put_bytes(files)
    for call in (files.stat(ORG, NAME), files.delete(ORG, NAME), get_bytes(files)):
        with pytest.raises(Overloaded, match="The blob store stored does not answer") as refusal:
            await call
        assert "secret" not in str(refusal.value)
    assert len([line for line in caplog.messages if "the plugin storing" in line and "blob store stored" in line]) == 4
    assert os.listdir(files.staging_folder) == []


@pytest.mark.parametrize("answer", ["text", 7, bytearray(DATA), [DATA]], ids=repr)
async def test_an_answer_of_another_type_is_a_failure(tmp_path: Path, answer: Any) -> None:
    files = adapt(Failing(answer), tmp_path / "blobs")
    with pytest.raises(Overloaded):
        await get_bytes(files)


@pytest.mark.parametrize("answer", ["7", -1, True, 1.5, DATA], ids=repr)
async def test_a_size_of_another_type_is_a_failure(tmp_path: Path, answer: Any) -> None:
    with pytest.raises(Overloaded):
        await adapt(Failing(answer), tmp_path / "blobs").stat(ORG, NAME)


async def test_a_store_that_lies_about_the_bytes_is_noticed(example_settings: Settings, sqlite_template: Path) -> None:
    async with world_with(example_settings, sqlite_template, EXAMPLE) as world:
        ann = await world.bootstrap()
        created = await put(ann, "a.txt", DATA)
        open_example(example_settings.data).put(ann.org.id, created["sha256"], DATA.upper())
        assert (await fetch(ann, created["id"])).status_code >= 500
        with pytest.raises(DamagedBlob):
            await blobs.verify(world.db, world.app.files, ann.org.id, created["sha256"])


async def test_a_store_that_hangs_blocks_nothing_else(
    settings: Settings, sqlite_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugin_store, "SECONDS", 0.5)
    folder = write_plugin(tmp_path / "hanging", HANGING)
    async with world_with(msgspec.structs.replace(settings, blob_store="hanging"), sqlite_template, folder) as world:
        ann = await world.bootstrap()
        uploads = [asyncio.ensure_future(send(ann, f"{number}.txt", DATA)) for number in range(12)]
        await asyncio.sleep(0.1)
        assert (await ann.post("/api/notes", {"title": "It goes on"})).status_code == 201
        answers = await asyncio.gather(*uploads)
        assert {answer.status_code for answer in answers} <= {503, 507}
        assert (await ann.get("/api/repo")).json()["items"] == []


HANGING = """
import time
from teamspace.sdk import BlobStoreSpec
BLOB_STORES = (BlobStoreSpec("hanging", "open_store", "Never answers."),)
class Store:
    def put(self, *given): time.sleep(1.5)
    get = delete = stat = put
def open_store(settings): return Store()
"""


@pytest.mark.parametrize(
    ("store", "reason"),
    [
        ("object()", "s: object is not a blob store: it has no put, get, delete, stat"),
        ("type('Half', (), {'put': print, 'get': print, 'stat': 7})()", "s: Half is not a blob store: it has no delete, stat"),
        ("type('Large', (), dict.fromkeys(('put', 'get', 'delete', 'stat', 'put_file'), print))()", "it has no get_range"),
        ("1 / 0", "s: it cannot be opened: ZeroDivisionError: division by zero"),
        ("exit(3)", "s: it cannot be opened: SystemExit: 3"),
    ],
)  # fmt: skip
def test_what_is_no_store_stops_the_start(settings: Settings, tmp_path: Path, store: str, reason: str) -> None:
    source = f"from teamspace.sdk import *\nBLOB_STORES = (BlobStoreSpec('s', 'open_it', 'x'),)\ndef open_it(settings): return {store}"
    folder = write_plugin(tmp_path / "bad", source)
    with pytest.raises(BootError, match=reason):
        wiring.open_store(msgspec.structs.replace(settings, blob_store="s", plugins=(folder,)))


# Size and memory


async def test_what_is_too_large_is_refused_while_it_arrives(
    example_settings: Settings, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugin_store, "MAX_BYTES", 100_000)
    async with world_with(example_settings, sqlite_template, EXAMPLE) as world:
        ann = await world.bootstrap()
        assert (await put(ann, "fits.bin", bytes(100_000)))["size"] == 100_000
        refused = await send(ann, "large.bin", bytes(100_001))
        assert (refused.status_code, refused.json()["code"], refused.json()["key"]) == (
            413,
            "too_large",
            "storage.too_large",
        )
        assert "100000 bytes" in refused.json()["detail"]
        assert os.listdir(world.app.files.staging_folder) == []
        assert [item["key"] for item in (await ann.get("/api/repo")).json()["items"]] == ["fits.bin"]


async def test_a_file_that_is_put_past_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_store, "MAX_BYTES", 10)
    (tmp_path / "large").write_bytes(DATA)
    with pytest.raises(TooLarge):
        await adapt(AsyncBlobs(), tmp_path / "blobs").put(ORG, NAME, tmp_path / "large")


@pytest.mark.parametrize(("size", "most"), [(len(DATA), 8), (8 * 1024 * 1024 + 1, 2), (None, 2)])
async def test_few_blobs_are_in_memory_at_a_time(tmp_path: Path, size: int | None, most: int) -> None:
    class Counting(AsyncBlobs):
        now = most = 0

        async def get(self, org_id: str, digest: str) -> bytes | None:
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0.01)
            self.now -= 1
            return await super().get(org_id, digest)

    store = Counting()
    files = adapt(store, tmp_path / "blobs")
    await put_bytes(files)
    assert set(await asyncio.gather(*(get_bytes(files, size=size) for _ in range(40)))) == {DATA}
    assert store.most == most


async def test_a_large_blob_waits_on_disk_for_a_slow_reader(tmp_path: Path) -> None:
    class Copying(AsyncBlobs):
        async def get(self, org_id: str, digest: str) -> bytes | None:
            return bytes(bytearray(await super().get(org_id, digest) or b""))

    data = os.urandom(8 * blobs.STRIDE)
    files = adapt(Copying(), tmp_path / "blobs")
    name = await put_bytes(files, data)
    reader = files.get(ORG, name)
    tracemalloc.start()
    first = await anext(reader)
    async with asyncio.timeout(10):
        # The thread that wrote the file lets go of its bytes after it has answered.
        while tracemalloc.get_traced_memory()[0] >= 3 * blobs.STRIDE:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    tracemalloc.stop()
    assert first + b"".join([chunk async for chunk in reader]) == data


# Crashes and backups


async def test_what_was_put_but_never_referenced_is_collected(
    example_settings: Settings, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a crash between put and the commit."""
    async with world_with(example_settings, sqlite_template, EXAMPLE) as world:
        name = await blobs.store_bytes(world.db, world.app.files, system(), ORG, DATA)
        assert await world.app.files.stat(ORG, name) == len(DATA)
        assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=0) == 0
        async with world.db.maintenance(system()) as tx:
            await tx.run("UPDATE blobs SET collect_at = '0001'")
        assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=0) == 1
        with pytest.raises(BlobMissing):
            await blobs.read(world.db, world.app.files, ORG, name)


@pytest.mark.both_databases
def test_an_acknowledged_file_survives_kill_minus_9(settings: Settings, tmp_path: Path) -> None:
    environment_ = {**environment(settings), **IN_EXAMPLE, "SERVICE_SQLITE_SYNC": "full"}
    with Served(environment_) as server:
        created = server.call("POST", "/api/bootstrap", {"username": "ann", "password": "correct horse battery"})
        token, acknowledged = created["token"], list[str]()

        def upload() -> None:
            for number in range(10_000):
                try:
                    server.put(f"/api/repo/{number}.txt", b"%d" % number * (1 + number % 7 * 10_000), token)
                except (OSError, RuntimeError):
                    return
                acknowledged.append(f"{number}.txt")

        uploading = threading.Thread(target=upload)
        uploading.start()
        while len(acknowledged) < 25:
            time.sleep(0.01)
        server.kill()
        uploading.join()
        doctor = teamspace("doctor", "--deep", settings=environment_)
        assert doctor.returncode == 0, doctor.stdout + doctor.stderr
        server.start()
        stored = {item["key"]: item for item in server.call("GET", "/api/repo?limit=200", token=token)["items"]}
        assert {f"{number}.txt" for number in range(25)} <= set(stored)


async def test_a_backup_moves_between_kinds_of_stores(
    example_settings: Settings, settings: Settings, sqlite_template: Path, tmp_path: Path
) -> None:
    contents = {"empty.bin": b"", "small.bin": DATA, "large.bin": os.urandom(blobs.SMALL + 1)}
    async with world_with(example_settings, sqlite_template, EXAMPLE) as world:
        ann = await world.bootstrap()
        ids = {name: (await put(ann, name, data))["id"] for name, data in contents.items()}
    source = example_settings
    for number, (store, in_rows) in enumerate([("rs3", 2), ("sqlite-blobs", 0), ("sqlite-blobs", 0)]):
        archive, data = tmp_path / f"{number}.tar", tmp_path / f"there-{number}"
        await ops.backup(source, archive)
        target = load(
            {"SERVICE_DATA": str(data), "SERVICE_BLOB_STORE": store, "SERVICE_PLUGINS": str(EXAMPLE)},
            file=tmp_path / "none",
        )
        data.mkdir()
        (data / "secret.key").write_bytes((source.data / "secret.key").read_bytes())
        await ops.restore(target, archive)
        async with open_world(target) as world:
            caller = Caller(world, ann.token)
            for name, content in contents.items():
                assert (await fetch(caller, ids[name])).content == content
            assert await world.db.one(int, "SELECT COUNT(*) FROM blobs WHERE data IS NOT NULL") == in_rows
            assert [file.name for file in (data / "blobs" / "tmp").iterdir()] == []
        doctor = teamspace(
            "doctor",
            "--deep",
            settings={**environment(target), "SERVICE_BLOB_STORE": store, "SERVICE_PLUGINS": str(EXAMPLE)},
        )
        assert doctor.returncode == 0, doctor.stdout + doctor.stderr
        source = target


async def test_the_doctor_finds_what_the_store_lost_or_damaged(
    example_settings: Settings, sqlite_template: Path
) -> None:
    async with world_with(example_settings, sqlite_template, EXAMPLE) as world:
        ann = await world.bootstrap()
        lost, damaged = await put(ann, "lost.txt", b"lost"), await put(ann, "damaged.txt", b"damaged")
        store = open_example(example_settings.data)
        store.delete(ann.org.id, lost["sha256"])
        store.put(ann.org.id, damaged["sha256"], b"others")
        checks = {result.name: result.found async for result in ops.run_checks(world.db, files=world.app.files)}
    assert sorted(checks["blobs.bytes"]) == [
        f"damaged {ann.org.id}/{damaged['sha256']}",
        f"missing {ann.org.id}/{lost['sha256']}",
    ]
