"""Tests with a real server and disk: constant memory, aborted uploads, and a full disk."""

import http.client
import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.repository.large import MIB, PASSWORD, run_transfer
from tests.support.served import HOST, Served, teamspace

MAX_MEMORY = 150 * MIB


def test_memory_does_not_grow_with_file_size(tmp_path: Path) -> None:
    transfer, peak = run_transfer({"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_SQLITE_SYNC": "normal"}, 256)
    assert transfer.received.digest() == transfer.sent.digest()
    assert peak < MAX_MEMORY


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A separate disk with little space."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("only root can mount a disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def put(served: Served, token: str, key: str, data: bytes) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection(HOST, served.port, timeout=60)
    connection.request("PUT", f"/api/repo/{key}", data, {"authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def get(served: Served, token: str, object_id: str) -> bytes:
    connection = http.client.HTTPConnection(HOST, served.port, timeout=60)
    connection.request("GET", f"/api/repo-obj/{object_id}/content", headers={"authorization": f"Bearer {token}"})
    return connection.getresponse().read()


def check(served: Served, token: str, contents: dict[str, bytes]) -> None:
    for object_id, content in contents.items():
        assert get(served, token, object_id) == content


def staged_files(data: Path) -> list[Path]:
    return list((data / "blobs" / "tmp").glob("*"))


def test_a_full_disk_refuses_uploads_and_loses_nothing(small_disk: Path) -> None:
    data = small_disk / "data"
    with Served({"SERVICE_DATA": str(data), "SERVICE_DISK_FLOOR": "0"}) as served:
        token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        status, first = put(served, token, "report", b"the first version")
        assert status == 201
        status, refusal = put(served, token, "report", os.urandom(44 * MIB))
        assert (status, refusal["code"]) == (507, "storage_full")
        assert staged_files(data) == []
        assert get(served, token, first["id"]) == b"the first version"
        status, after = put(served, token, "report", b"the second version")
        assert (status, after["version"]) == (200, 2)


def test_below_the_disk_floor_only_files_are_refused(small_disk: Path) -> None:
    data, filler = small_disk / "data", small_disk / "room"
    with Served({"SERVICE_DATA": str(data), "SERVICE_DISK_FLOOR": str(16 * MIB)}) as served:
        token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        assert put(served, token, "before", b"taken")[0] == 201
        status, refusal = put(served, token, "large", os.urandom(36 * MIB))
        assert (status, refusal["code"]) == (507, "storage_full")
        filler.write_bytes(bytes(24 * MIB))
        deadline = time.monotonic() + 20
        while (answer := put(served, token, "small", b"x"))[0] != 507 and time.monotonic() < deadline:
            time.sleep(0.1)  # free space is checked once a second
        assert (answer[0], answer[1]["code"]) == (507, "storage_full")
        served.call("POST", "/api/notes", {"title": "Written", "body": "all the same"}, token)
        filler.unlink()
        while (answer := put(served, token, "small", b"x"))[0] == 507 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert answer[0] in (200, 201)


@pytest.mark.sampled(3)
@pytest.mark.about("blobs", "core", "server")
@pytest.mark.parametrize("sizes", [(20_000,), (200_000,), (1_000, 20_000, 200_000)], ids=["small", "large", "both"])
def test_a_disk_filled_with_files_keeps_every_acknowledged_one(small_disk: Path, sizes: tuple[int, ...]) -> None:
    data, filler = small_disk / "data", small_disk / "room"
    filler.write_bytes(bytes(24 * MIB))
    stored: dict[str, bytes] = {}
    with Served({"SERVICE_DATA": str(data), "SERVICE_DISK_FLOOR": "0"}) as served:
        token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        refused = 0
        while refused < 20:
            content = os.urandom(sizes[(len(stored) + refused) % len(sizes)])
            status, answer = put(served, token, f"file{len(stored)}", content)
            if status == 201:  # not 200: a refused upload leaves nothing at the key
                stored[answer["id"]] = content
                continue
            assert (status, answer["code"]) == (507, "storage_full"), answer
            refused += 1
        assert staged_files(data) == []
        check(served, token, stored)
        filler.unlink()
        for size in (100, 20_000, 200_000):
            content = os.urandom(size)
            status, answer = put(served, token, f"file{len(stored)}", content)
            assert status == 201, answer
            stored[answer["id"]] = content
        served.kill()
        served.start()
        check(served, token, stored)
    doctor = teamspace("doctor", "--deep", settings={"SERVICE_DATA": str(data)})
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr


def test_an_aborted_upload_leaves_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Served({"SERVICE_DATA": str(data), "SERVICE_SQLITE_SYNC": "normal"}) as served:
        token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        _, stored = put(served, token, "report", b"whole")
        with socket.create_connection((HOST, served.port)) as connection:
            head = f"PUT /api/repo/report HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: {4 * MIB}\r\n\r\n"
            connection.sendall(head.encode() + os.urandom(MIB))
            deadline = time.monotonic() + 20
            while not staged_files(data) and time.monotonic() < deadline:
                time.sleep(0.01)
            assert staged_files(data), "the upload has started"
        while staged_files(data) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert staged_files(data) == []
        assert served.call("GET", f"/api/repo-obj/{stored['id']}", token=token)["version"] == 1
        assert get(served, token, stored["id"]) == b"whole"
