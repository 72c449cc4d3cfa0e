"""Measure the repository: transfer rates compared to a plain copy, and lists and search among very many objects.

Run from the top of the repository as `python -m benchmarks.repository`; README.md explains the report.
"""

import argparse
import hashlib
import http.client
import json
import os
import random
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from itertools import islice, repeat
from pathlib import Path
from statistics import median
from typing import Any, ParamSpec, TypeVar
from urllib.parse import quote

import apsw

from benchmarks.load import HEAD_END, Load, Result, request, run
from benchmarks.processes import Server, free_port
from benchmarks.report import machine
from benchmarks.subject import FIRST_USER, environment
from benchmarks.targets import call
from teamspace.core.ids import new_id
from teamspace.fulltext.domain.words import TOKENIZER_VERSION

MIB = 1 << 20
SMALL = 4096
PAGE = 100
_BLOCK = 256 * 1024
_BATCH = 10_000
_VOCABULARY = 5_000
_CHANCE_BITS = 21
_ORDERS = {"bare": "rowid DESC", "ranked": "rank LIMIT 50"}

Figures = dict[str, Any]
P = ParamSpec("P")
T = TypeVar("T")


class Subject:
    """A server on its own folder."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        port = free_port()
        command = [sys.executable, "-m", "teamspace", "serve"]
        self.server = Server(command, port, "/health", folder / "log", environment(self.data, port, ""))
        self.server.start()
        self.first = call(port, "POST", "/api/bootstrap", body=FIRST_USER)
        self.token: str = self.first["token"]

    def upload(self, key: str, source: Path) -> str:
        """Upload a file over one connection and return the object's id."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=600)
        connection.putrequest("PUT", f"/api/repo/{key}")
        connection.putheader("authorization", f"Bearer {self.token}")
        connection.putheader("content-type", "application/octet-stream")
        connection.putheader("content-length", str(source.stat().st_size))
        connection.endheaders()
        with source.open("rb", buffering=0) as file:
            while block := file.read(MIB):
                connection.send(block)
        return str(json.load(connection.getresponse())["id"])

    def download(self, object_id: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=600)
        headers = {"authorization": f"Bearer {self.token}"}
        connection.request("GET", f"/api/repo-obj/{object_id}/content", headers=headers)
        answer, buffer, total = connection.getresponse(), bytearray(MIB), 0
        while size := answer.readinto(buffer):
            total += size
        return total

    def walk(self) -> tuple[int, str]:
        """Read the list to its end; return the number of pages, and the cursor of the last one."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=600)
        pages, cursor, following = 0, "", ""
        while following is not None:
            cursor, pages = following, pages + 1
            path = f"/api/repo?limit={PAGE}" + (f"&cursor={cursor}" if cursor else "")
            connection.request("GET", path, headers={"authorization": f"Bearer {self.token}"})
            following = json.load(connection.getresponse())["next_cursor"]
        return pages, cursor

    def load(
        self, requests: Iterator[bytes], *, status: int = 200, connections: int = 1, seconds: float = 60
    ) -> Result:
        seen = run(
            Load(
                self.server.port, requests, connections=connections, seconds=seconds, warmup=0, status=status, keep=_id
            )
        )
        refused = " 503 " in seen.first_error[:20] and seen.errors < seen.requests / 20
        if seen.errors and not refused:  # a busy machine sheds a few requests, which are not counted
            raise RuntimeError(f"{seen.errors} requests failed: {seen.first_error}")
        return seen


def _id(body: bytes) -> str:
    return str(json.loads(body)["id"]) if body.startswith(b'{"id"') else ""


def timed(work: Callable[P, T], *given: P.args, **named: P.kwargs) -> tuple[float, T]:
    began = time.perf_counter()
    done = work(*given, **named)
    return time.perf_counter() - began, done


# Bytes


def copied(source: Path, target: Path) -> None:
    """Do the minimum of an upload: the same checksums, and a file that survives a power failure."""
    sha256, md5, sums = hashlib.sha256(), hashlib.md5(usedforsecurity=False), []
    draft = target.with_suffix(".draft")
    with source.open("rb", buffering=0) as file, draft.open("wb", buffering=0) as out:
        while block := file.read(_BLOCK):
            out.write(block)
            sha256.update(block)
            md5.update(block)
            sums.append(zlib.crc32(block))
        os.fsync(out.fileno())
    draft.rename(target)
    folder = os.open(target.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def copied_often(source: Path, folder: Path, count: int) -> None:
    for number in range(count):
        copied(source, folder / str(number))


def proven(source: Path) -> None:
    """Do the minimum of a download: read and checksum every block."""
    with source.open("rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            zlib.crc32(block)


def large(subject: Subject, folder: Path, mib: int, rounds: int) -> Figures:
    source, target = folder / "source", folder / "copy"
    with source.open("wb") as out:
        for _ in range(mib):
            out.write(random.randbytes(MIB))
    seconds: dict[str, list[float]] = {name: [] for name in ("copy", "upload", "read", "download")}
    for number in range(rounds):
        with source.open("r+b") as file:  # otherwise the second round would upload bytes that are already stored
            file.write(number.to_bytes(8))
        taken, _ = timed(copied, source, target)
        seconds["copy"].append(taken)
        taken, object_id = timed(subject.upload, f"large{number}", source)
        seconds["upload"].append(taken)
        taken, _ = timed(proven, target)
        seconds["read"].append(taken)
        taken, _ = timed(subject.download, object_id)
        seconds["download"].append(taken)
        target.unlink()
    source.unlink()
    rates = {name: round(mib / median(values), 1) for name, values in seconds.items()}
    return {
        "mib": mib, "mib_per_second": rates,
        "ratios": {"upload": _ratio(rates, "upload", "copy"), "download": _ratio(rates, "download", "read")},
        "rounds": {name: [round(mib / value, 1) for value in values] for name, values in seconds.items()},
    }  # fmt: skip


def small(subject: Subject, folder: Path, count: int, rounds: int) -> Figures:
    source, target = folder / "source", folder / "copies"
    target.mkdir()
    rates: dict[str, list[float]] = {}

    def note(name: str, rate: float) -> None:
        rates.setdefault(name, []).append(rate)

    for number in range(rounds):
        source.write_bytes(os.urandom(SMALL))
        taken, _ = timed(copied_often, source, target, count)
        note("copy", count / taken)
        for connections in (1, 16):
            puts = (_put(f"s{number}/{connections}/{each}", os.urandom(SMALL), subject.token) for each in range(count))
            seen = subject.load(puts, status=201, connections=connections)
            note(f"upload over {connections}", len(seen.kept) / seen.seconds)
        gets = [request("GET", f"/api/repo-obj/{id}/content", subject.token) for id in seen.kept]
        note("download over 16", subject.load(iter(gets), connections=16).rate)
    middle = {name: round(median(values), 1) for name, values in rates.items()}
    return {
        "bytes": SMALL, "count": count, "files_per_second": middle,
        "ratios": {name: _ratio(middle, name, "copy") for name in middle if name.startswith("upload")},
        "rounds": {name: [round(value, 1) for value in values] for name, values in rates.items()},
    }  # fmt: skip


def _put(key: str, data: bytes, token: str) -> bytes:
    head = [
        f"PUT /api/repo/{key} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {token}",
        "Content-Type: application/octet-stream", f"Content-Length: {len(data)}",
    ]  # fmt: skip
    return "\r\n".join(head).encode() + HEAD_END + data


def _ratio(rates: dict[str, float], ours: str, plain: str) -> float:
    return round(rates[ours] / rates[plain], 2)


# Very many objects


def words() -> list[str]:
    dice = random.Random(5)
    return ["".join(dice.choices("abcdefghijklmnoprstuvwz", k=dice.randint(4, 9))) for _ in range(_VOCABULARY)]


def fill(subject: Subject, count: int) -> None:
    """Insert objects into the tables while the server is stopped."""
    connection = apsw.Connection(str(subject.data / "teamspace.sqlite"))
    connection.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL; PRAGMA cache_size = -400000")
    objects = _objects(subject.first, count)
    while batch := list(islice(objects, _BATCH)):
        with connection:
            connection.executemany(_OBJECT, (row for row, _, _ in batch))
            connection.executemany(_VERSION, (row for _, row, _ in batch))
            connection.executemany(_TEXT, (row for _, _, row in batch))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE); ANALYZE")
    connection.close()


_OBJECT = (
    "INSERT INTO objects (id, org_id, team_id, owner_id, key, filename, content_type, visibility, version, numbered,"
    " removed, size, sha256, etag, text_state, written_at, created_at, updated_at) VALUES"
    " (?, ?, ?, ?, ?, ?, 'application/octet-stream', ?, 1, 1, 0, 0, '', '', 'none', ?, ?, ?)"
)
_VERSION = (
    "INSERT INTO object_versions (id, object_id, org_id, number, removal, size, blob, sha256, etag, content_type,"
    " filename, author_id, actor_kind, created_at) VALUES"
    " (?, ?, ?, 1, 0, 0, '', '', '', 'application/octet-stream', ?, ?, 'human', ?)"
)
_TEXT = (
    "INSERT INTO texts (id, kind, ref, org_id, made_by, title, labels, body, title_words, label_words, body_words)"
    f" VALUES (?, 'object', ?, ?, {TOKENIZER_VERSION}, ?, ?, '', ?, ?, '')"
)


def _objects(first: Any, count: int) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]]:
    dice, known = random.Random(6), words()
    org, team, user = first["org"]["id"], first["team"]["id"], first["user"]["id"]
    stamp, began = "2026-01-01T00:00:00.000Z", time.time_ns() // 1_000_000 - 2 * count
    for number in range(count):
        id, some = new_id(), dice.choices(known, k=3)
        name = f"{some[0]}-{some[1]}-{number}.bin"
        key = f"{some[2]}/{number % 1000}/{name}"
        visibility = "private" if number % 10 == 0 else "team"
        yield (
            (id, org, team, user, key, name, visibility, stamp, stamp, stamp),
            (new_id(), id, org, name, user, stamp),
            (
                began + number << _CHANCE_BITS, id, org, name, key, f"{some[0]} {some[1]} {number} bin",
                f"{some[2]} {number % 1000} {some[0]} {some[1]} {number} bin",
            ),
        )  # fmt: skip


def listed(subject: Subject, rounds: int) -> Figures:
    """Measure the first page and the last page."""
    pages, cursor = subject.walk()
    paths = {"first": f"/api/repo?limit={PAGE}", "last": f"/api/repo?limit={PAGE}&cursor={cursor}"}
    found: dict[str, list[Result]] = {name: [] for name in paths}
    for _ in range(rounds):
        for name, path in paths.items():
            found[name].append(subject.load(repeat(request("GET", path, subject.token), 300)))
    middle = {name: round(median(each.p50 for each in results), 2) for name, results in found.items()}
    return {
        "page": pages, "p50_ms": middle, "ratio": _ratio(middle, "last", "first"),
        "rounds": {name: [round(each.p50, 2) for each in results] for name, results in found.items()},
    }  # fmt: skip


def searched(subject: Subject, count: int) -> Figures:
    """Measure searches for one and two words with ranking and snippets, and the same queries on the index alone."""
    known, dice = words(), random.Random(8)
    questions = {
        "one word": [dice.choice(known) for _ in range(count)],
        "two words": [" ".join(dice.sample(known, 2)) for _ in range(count)],
    }
    org = subject.first["org"]["id"].replace("-", "")
    connection = apsw.Connection(str(subject.data / "teamspace.sqlite"), flags=apsw.SQLITE_OPEN_READONLY)
    found: Figures = {}
    for name, asked in questions.items():
        gets = (request("GET", f"/api/search?q={quote(text)}", subject.token) for text in asked)
        seen = subject.load(gets)
        found[name] = {"p50_ms": round(seen.p50, 2), "p99_ms": round(seen.p99, 2)}
        for kind, order in _ORDERS.items():
            taken = sorted(timed(_bare, connection, org, text, order)[0] * 1e3 for text in asked)
            found[name][f"{kind}_p50_ms"] = round(median(taken), 2)
            found[name][f"{kind}_p99_ms"] = round(taken[int(len(taken) * 0.99)], 2)
    connection.close()
    return found


def _bare(connection: apsw.Connection, org: str, text: str, order: str) -> list[Any]:
    *whole, last = text.split()
    wanted = " AND ".join([*(f'"{word}"' for word in whole), f'"{last}" *'])
    return connection.execute(
        f"SELECT rowid FROM texts_index WHERE texts_index MATCH ? ORDER BY {order}",
        (f'scope : "object{org}" AND {{title labels body}} : ({wanted})',),
    ).fetchall()


def measure(options: argparse.Namespace) -> Figures:
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        subject = Subject(folder)
        try:
            found: Figures = {
                "large": large(subject, folder, options.mib, options.rounds),
                "small": small(subject, folder, options.small, options.rounds),
            }
            print(json.dumps(found, indent=2), flush=True)
            subject.server.stop()
            fill(subject, options.objects)
            subject.server.start()
            found["objects"] = options.objects
            found["list"] = listed(subject, options.rounds)
            found["search"] = searched(subject, options.searches)
        finally:
            subject.server.stop()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--mib", type=int, default=1024, help="of the large file")
    parser.add_argument("--small", type=int, default=2000, help="how many small files")
    parser.add_argument("--objects", type=int, default=1_000_000, help="how many to list and to search")
    parser.add_argument("--searches", type=int, default=500, help="searches of each kind")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where to work; the copy and the server share its disk")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "repository.json")
    options = parser.parse_args()
    before = machine()
    found = measure(options)
    print(json.dumps(found, indent=2))
    options.output.write_text(json.dumps({"machine": before, **found}, indent=2) + "\n")


if __name__ == "__main__":
    main()
