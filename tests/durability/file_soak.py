"""`kill -9` while files are uploaded, overwritten, deleted and read, with a garbage collector that runs all the time.

Some blobs are in rows, some in files. Half of the uploads are content that other clients upload and delete too, so that
the collector often meets blobs that are uploaded again. After each crash every version is compared byte for byte, and
`doctor --deep` runs. In the end no unreferenced blob beyond its retention and no temporary file may be left.
"""

import asyncio
import hashlib
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from teamspace import blobs, wiring
from teamspace.app import open_for_inspection
from teamspace.settings import load
from tests.durability.client import PAUSE_SECONDS
from tests.durability.fast_collector import RETENTION
from tests.durability.journal import Violation
from tests.durability.soak import OPERATOR, Busy, Plan, Soak, created
from tests.durability.verification import ask, everything
from tests.durability.wire import Answer, Connection, Silent, Unanswered, Unreachable
from tests.support.postgres import Postgres
from tests.support.served import teamspace

MAX_FILES, MAX_VERSIONS = 8, 5
_WRITES_IN_A_MOMENT = 4
COMMON = 12
"""Number of contents that all clients upload."""
_SIZES = (
    20, 100, 4_000, 4_000, blobs.SMALL - 1, blobs.SMALL, blobs.SMALL + 1, blobs.SMALL + 1, 70_000, 600_000, 2_000_000,
)  # fmt: skip
"""As many in rows as in files, and some at the limit between them."""
_WEIGHTS = {"create": 30, "overwrite": 30, "delete": 20, "read": 20}

Versions = tuple[int, ...]
"""The contents of a file's versions, oldest first; empty if the file does not exist."""


@cache
def content(number: int) -> bytes:
    rng, name = random.Random(number), f"content {number}".encode()
    return name + rng.randbytes(rng.choice(_SIZES) - len(name))


@cache
def digest(number: int) -> str:
    return hashlib.sha256(content(number)).hexdigest()


@dataclass
class File:
    """A key that only one client writes to."""

    key: str
    possible: list[Versions] = field(default_factory=lambda: [()])
    """One state if it is certain; else the states without and with the effect of the unanswered request."""
    id: str = ""

    @property
    def certain(self) -> bool:
        return len(self.possible) == 1


class Uploader:
    def __init__(self, number: int, port: int, token: str, counts: Counter[str], seed: str) -> None:
        self.connection = Connection(port, token)
        self.files = [File(f"client{number}/{name}.bin") for name in range(MAX_FILES)]
        self.acknowledged: set[str] = set()
        """Digests of acknowledged uploads."""
        self._number, self._counts = number, counts
        self._random = random.Random(seed)
        self._contents = 0

    async def work(self, stop: asyncio.Event) -> None:
        try:
            while not stop.is_set():
                await self._step()
        except (Unreachable, Unanswered):
            pass
        finally:
            self.connection.close()

    async def delete_all(self) -> None:
        """Delete the files that certainly exist, so that there is garbage even after a short run."""
        for file in self.files:
            if file.certain and file.possible[0]:
                await self._delete(file)

    async def _step(self) -> None:
        certain = [file for file in self.files if file.certain]
        existing = [file for file in certain if file.possible[0]]
        operation = self._random.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
        if operation == "create" or not existing:
            if free := [file for file in certain if not file.possible[0]]:
                await self._put(self._random.choice(free))
            elif not existing:  # all are uncertain
                await asyncio.sleep(PAUSE_SECONDS)
            return
        file = self._random.choice(existing)
        if operation == "read":
            await self._read(file)
        elif operation == "delete" or len(file.possible[0]) >= MAX_VERSIONS:
            await self._delete(file)
        else:
            await self._put(file)

    async def _put(self, file: File) -> None:
        number = self._content()
        before = file.possible[0]
        headers = {"if-match": f'"{len(before)}"'} if before and self._random.random() < 0.5 else {}
        after = (*before, number)
        answer = await self._send(file, after, "PUT", f"/api/repo/{file.key}", content(number), headers)
        if answer is None:
            return
        shown = answer.json
        reported = (answer.status, shown.get("version"), shown.get("sha256"))
        if reported != (200 if before else 201, len(after), digest(number)):
            raise Violation(f"X1: version {len(after)} of {file.key} was answered {answer}")
        file.possible, file.id = [after], shown["id"]
        self.acknowledged.add(digest(number))
        self._counts["in rows" if len(content(number)) <= blobs.SMALL else "in files"] += 1

    async def _delete(self, file: File) -> None:
        answer = await self._send(file, (), "DELETE", f"/api/repo-obj/{file.id}")
        if answer is None:
            return
        if answer.status != 204:
            raise Violation(f"X1: the end of {file.key} was answered {answer}")
        file.possible = [()]

    async def _send(
        self, file: File, after: Versions, method: str, path: str, body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer | None:  # fmt: skip
        """Send a write; return None if it is unknown whether it took effect."""
        await self.connection.open()
        try:
            answer = await self.connection.call(method, path, body, headers)
        except Unanswered:
            self._mark_uncertain(file, after)
            raise
        except Silent:
            raise Violation(f"{method} {path} was neither answered nor cut off") from None
        if answer.status == 503:
            self._mark_uncertain(file, after)
            await asyncio.sleep(PAUSE_SECONDS)
            return None
        self._counts["writes acknowledged"] += 1
        return answer

    def _mark_uncertain(self, file: File, after: Versions) -> None:
        self._counts["unknown"] += 1
        file.possible.append(after)

    async def _read(self, file: File) -> None:
        """Read a part of a version, while others are written and collected."""
        versions = file.possible[0]
        number = self._random.randrange(len(versions))
        whole = content(versions[number])
        start = self._random.randrange(len(whole))
        answer = await self.connection.call(
            "GET", f"/api/repo-obj/{file.id}/content?version={number + 1}", headers={"range": f"bytes={start}-"}
        )
        if answer.status == 503:
            return
        if answer.status != 206 or answer.body != whole[start:]:
            raise Violation(f"X1: version {number + 1} of {file.key} from {start} on was answered {answer}")
        self._counts["parts read"] += 1

    def _content(self) -> int:
        if self._random.random() < 0.5:
            return self._random.randrange(COMMON)
        self._contents += 1
        return 1_000_000 * (self._number + 1) + self._contents

    # After a crash

    async def verify(self, listed: dict[str, str]) -> None:
        for file in self.files:
            seen = await self._read_versions(file, listed.get(file.key, ""))
            if seen not in file.possible:
                rule = "X1: an acknowledged version is not there" if file.certain else "X2: a write is half there"
                raise Violation(f"{rule}\n  file     {file.key}\n  expected {file.possible}\n  found    {seen}")
            file.possible = [seen]
            file.id = listed.get(file.key, "")
        self.connection.close()

    async def _read_versions(self, file: File, object_id: str) -> Versions:
        """Read all versions in full and return their contents."""
        if not object_id:
            return ()
        shown = (await ask(self.connection, "GET", f"/api/repo-obj/{object_id}")).json
        known = {digest(number): number for versions in file.possible for number in versions}
        found = []
        for version in reversed(shown["versions"]):
            answer = await ask(self.connection, "GET", f"/api/repo-obj/{object_id}/content?version={version['number']}")
            number = known.get(version["sha256"], -1)
            if answer.status != 200 or hashlib.sha256(answer.body).hexdigest() != version["sha256"]:
                raise Violation(f"X1: version {version['number']} of {file.key} was answered {answer}")
            found.append(number)
        return tuple(found)


class FileSoak(Soak):
    """The cycles on one database."""

    program = "tests.durability.fast_collector"

    def __init__(self, plan: Plan, folder: Path, postgres: Postgres | None = None) -> None:
        super().__init__(plan, folder, postgres)
        self.uploaders: list[Uploader] = []
        self.counts: Counter[str] = Counter()

    def __str__(self) -> str:
        counts = ", ".join(f"{number} {name}" for name, number in sorted(self.counts.items()))
        database = "postgres" if self.postgres else "sqlite"
        return f"{database} cycle {self.cycle}/{self.plan.cycles}: {counts}, slowest start {self.slowest_start:.2f} s, doctor ok"

    @property
    def busy(self) -> Sequence[Busy]:
        return self.uploaders

    async def populate(self) -> None:
        token = self.operator.token = (await created(self.operator, "/api/bootstrap", OPERATOR))["token"]
        self.operator.close()
        self.uploaders = [
            Uploader(number, self.served.port, token, self.counts, f"{self.plan.seed}/{number}")
            for number in range(self.plan.clients)
        ]

    async def moment(self) -> None:
        enough = self.counts["writes acknowledged"] + _WRITES_IN_A_MOMENT
        await super().moment()
        await self.until(lambda: self.counts["writes acknowledged"] >= enough)

    async def verify(self) -> None:
        listed = {item["key"]: item["id"] for item in await everything(self.operator, "/api/repo?prefix=")}
        unexpected = set(listed) - {file.key for uploader in self.uploaders for file in uploader.files}
        if unexpected:
            raise Violation(f"X1: files appeared from nowhere: {sorted(unexpected)}")
        await asyncio.gather(*(uploader.verify(listed) for uploader in self.uploaders))
        self.operator.close()
        self.doctor()

    def doctor(self) -> None:
        found = teamspace("doctor", "--deep", settings=self.settings)
        if found.returncode:
            raise Violation(f"doctor ended with {found.returncode}:\n{found.stdout}{found.stderr}")

    async def finish(self) -> None:
        """Wait, without load, until only blobs of versions are left; it must not take longer than the retention allows."""
        await max(self.uploaders, key=lambda uploader: len(uploader.acknowledged)).delete_all()
        while (await ask(self.operator, "DELETE", "/api/trash")).json["remaining"]:
            pass
        self.operator.close()
        ends = time.monotonic() + 2 * RETENTION + 10
        while left := await self._leftovers():
            if time.monotonic() > ends:
                raise Violation(f"X2: after its retention there still is {left}")
            await asyncio.sleep(0.25)
        await self.verify()
        uploaded = set[str]().union(*(uploader.acknowledged for uploader in self.uploaders))
        self.counts["blobs collected"] = len(uploaded - {row.digest for row in await self._rows()})

    @property
    def _files(self) -> blobs.FolderStore:
        return blobs.FolderStore(self.data / "blobs")

    async def _rows(self) -> list[blobs.Blob]:
        async with open_for_inspection(load(self.settings, file=self.data / "no.env")) as db:
            return await blobs.select(db, ("", ""), 100_000)

    async def _leftovers(self) -> list[str]:
        """Return unreferenced blobs, files without a row and temporary files."""
        stored = {(file.org_id, file.digest) for file in self._files.list_files()}
        async with open_for_inspection(load(self.settings, file=self.data / "no.env")) as db:
            rows = await blobs.select(db, ("", ""), 100_000)
            unreferenced = [
                row for row in rows if not await blobs.is_referenced(db, wiring.BLOB_COLUMNS, row.org_id, row.digest)
            ]
        temporary = list(self._files.list_stale(float("inf")))
        orphans = stored - {(row.org_id, row.digest) for row in rows if row.size > blobs.SMALL}
        return [*map(str, unreferenced), *map(str, orphans), *temporary]
