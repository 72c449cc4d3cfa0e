"""`kill -9` of servers and workers while jobs are asked for and done: each ends once, whoever dies in between.

Clients ask with an idempotency key, and again with the same key when they were not answered. Workers are processes of
their own, beside the server's own worker. A cycle kills the server or a worker; on PostgreSQL, now and then the
database. In the last one a worker is stopped with a job in its hands, for longer than its lease.
"""

import asyncio
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.durability.journal import Violation
from tests.durability.leases import end_leases
from tests.durability.soak import OPERATOR, Busy, Plan, Soak, created
from tests.durability.verification import ask, everything
from tests.durability.wire import Connection, Unanswered, Unreachable
from tests.durability.worker import answer
from tests.support.postgres import Postgres

WORKERS = 3
_PAUSE = 0.03
_PATIENCE = 150.0
"""More than two leases and the longest job."""
_HERE, _AFAR = "here", "afar"


@dataclass
class Wish:
    """A job that a client wants done once."""

    key: str
    body: dict[str, Any]
    ids: list[str] = field(default_factory=list)
    """The job, and what it was tried again as."""

    @property
    def prompt(self) -> str:
        prompt: str = self.body["input"]["prompt"]
        return prompt


class Asker:
    """Asks for jobs, some for the server itself and some for workers."""

    def __init__(self, number: int, port: int, token: str) -> None:
        self.connection = Connection(port, token)
        self.wishes: list[Wish] = []
        self._number = number

    async def work(self, stop: asyncio.Event) -> None:
        try:
            while not stop.is_set():
                wish = next((wish for wish in self.wishes if not wish.ids), None) or self._wish()
                await self.ask(wish)
                await asyncio.sleep(_PAUSE)
        except (Unreachable, Unanswered):
            pass
        finally:
            self.connection.close()

    async def ask(self, wish: Wish) -> None:
        reply = await self.connection.call("POST", "/api/jobs", wish.body, {"idempotency-key": wish.key})
        if reply.status == 202:
            wish.ids = [reply.json["id"]]
        elif reply.status == 409:
            wish.ids = [await self._found(wish)]
        elif reply.status != 503:
            raise Violation(f"asking for {wish.key} was answered {reply}")

    async def _found(self, wish: Wish) -> str:
        """The key took effect, and its answer died with the server."""
        for item in await everything(self.connection, "/api/jobs"):
            shown = await ask(self.connection, "GET", f"/api/jobs/{item['id']}")
            if shown.json["input"]["prompt"] == wish.prompt:
                return str(item["id"])
        raise Violation(f"{wish.key} is said to have taken effect, and there is no such job")

    def _wish(self) -> Wish:
        number = len(self.wishes)
        key = f"asker{self._number}-{number}"
        if number % 3 == 0:
            slow = " [simulate:slow:1]" if number % 12 == 0 else ""
            body = {"kind": "ai.chat", "input": {"prompt": f"{_HERE} {key}{slow}", "executor": "local"}}
        else:
            slow = " [work:1]" if number % 16 == 1 else ""
            body = {"kind": "ai.chat", "input": {"prompt": f"{_AFAR} {key}{slow}", "model": "afar"}}
        self.wishes.append(Wish(key, body))
        return self.wishes[-1]


class Hand:
    """A worker process, and its notes; a new one takes the place of one that was killed."""

    def __init__(self, port: int, token: str, notes: Path) -> None:
        self._port, self._token = port, token
        self.notes = notes
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "tests.durability.worker", str(self._port), str(self.notes)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
        assert self._process.stdin is not None
        with self._process.stdin as entrance:
            entrance.write(f"{self._token}\n")

    def send(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)

    def kill(self) -> None:
        self.send(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()

    @property
    def lines(self) -> list[tuple[str, str, int]]:
        """Verb, job, attempt."""
        text = self.notes.read_text() if self.notes.exists() else ""
        return [(verb, job, int(attempt)) for verb, job, attempt in map(str.split, text.splitlines())]

    @property
    def holding(self) -> tuple[str, int] | None:
        """The job in its hands, and the attempt."""
        lines = self.lines
        return lines[-1][1:] if lines and lines[-1][0] == "took" else None

    async def end_of(self, job: str, attempt: int) -> str:
        """What it was told of this attempt, once it was told."""
        while True:
            for verb, *of in self.lines:
                if verb != "took" and of == [job, attempt]:
                    return verb
            await asyncio.sleep(0.05)


class Labour(Soak):
    """The cycles on one database. `hurry` ends leases by hand instead of waiting for them."""

    start_limit = 60.0

    def __init__(self, plan: Plan, folder: Path, postgres: Postgres | None = None, *, hurry: bool = False) -> None:
        super().__init__(plan, folder, postgres)
        self.hurry = hurry
        self.folder = folder
        self.askers: list[Asker] = []
        self.hands: list[Hand] = []
        self.counts: Counter[str] = Counter()

    def __exit__(self, *_: object) -> None:
        for hand in self.hands:
            hand.kill()
        super().__exit__()

    def __str__(self) -> str:
        kept = ", ".join(f"{number} {name}" for name, number in sorted(self.counts.items()))
        database = "postgres" if self.postgres else "sqlite"
        return f"{database} cycle {self.cycle}/{self.plan.cycles}: {len(self.wishes)} jobs asked for, {kept}"

    @property
    def busy(self) -> Sequence[Busy]:
        return self.askers

    @property
    def wishes(self) -> list[Wish]:
        return [wish for asker in self.askers for wish in asker.wishes]

    async def populate(self) -> None:
        self.operator.token = (await created(self.operator, "/api/bootstrap", OPERATOR))["token"]
        executor = await created(self.operator, "/api/executors", {"name": "Many hands", "mode": "pull"})
        port, token = self.served.port, self.operator.token
        self.askers = [Asker(number, port, token) for number in range(self.plan.clients)]
        self.hands = [Hand(port, executor["token"], self.folder / f"notes{number}") for number in range(WORKERS)]
        for hand in self.hands:
            hand.start()

    async def crash(self) -> None:
        """Ask for a moment, and kill the server or a worker."""
        if self.cycle % 2:
            self.counts["servers killed"] += 1
            await super().crash()
            return
        hand = self.hands[self.cycle // 2 % WORKERS]
        async with self.load() as stop:
            await self.moment()
            hand.kill()
            hand.start()
            await self.moment()
            stop.set()
        self.counts["workers killed"] += 1

    async def verify(self) -> None:
        """In the end, and not after every cycle: jobs come back when leases end."""
        self.operator.close()

    async def finish(self) -> None:
        paused = await self._pause()
        if self.hurry:
            await end_leases(self.database)
        async with asyncio.timeout(_PATIENCE):
            for asker in self.askers:
                await self._all_over(asker)
            await self._resume(*paused)
        await self._check_jobs()
        await self._check_notes()
        await self._check_books()

    # A worker that sleeps through its lease

    async def _pause(self) -> tuple[Hand, str, int]:
        """Ask for slow work, and stop whoever takes it."""
        asker = self.askers[0]
        slow = Wish(
            "slow", {"kind": "ai.chat", "input": {"prompt": f"{_AFAR} slow [work:2]", "model": "afar"}, "priority": 0}
        )
        asker.wishes.append(slow)
        await asker.ask(slow)
        async with asyncio.timeout(_PATIENCE):
            while True:
                for hand in self.hands:
                    if hand.holding and hand.holding[0] in slow.ids:
                        hand.send(signal.SIGSTOP)
                        return hand, *hand.holding
                await asyncio.sleep(0.05)

    async def _resume(self, hand: Hand, job: str, attempt: int) -> None:
        """It goes on as if nothing had been, and what it brings is refused."""
        hand.send(signal.SIGCONT)
        end = await hand.end_of(job, attempt)
        if end != "stale":
            raise Violation(f"{job} went to others, and still attempt {attempt} landed")
        self.counts["sleepers refused"] += 1

    # Is everything as it was wished for, once?

    async def _all_over(self, asker: Asker) -> None:
        for wish in asker.wishes:
            while not wish.ids:
                await asker.ask(wish)
            while True:
                shown = await self._shown(wish.ids[-1])
                if shown["state"] == "succeeded":
                    break
                if shown["state"] == "failed":
                    await self._again(asker, wish, shown)
                await asyncio.sleep(0.05)

    async def _shown(self, job: str) -> dict[str, Any]:
        shown: dict[str, Any] = (await ask(self.operator, "GET", f"/api/jobs/{job}")).json
        return shown

    async def _again(self, asker: Asker, wish: Wish, shown: dict[str, Any]) -> None:
        """Whoever worked on it was killed three times: the client asks once more."""
        if shown["error"]["code"] != "lost" or shown["attempt"] < 3:
            raise Violation(f"{wish.key} failed: {shown}")
        reply = await ask(asker.connection, "POST", "/api/jobs", {"retry_of": shown["id"]})
        wish.ids.append(reply.json["id"])
        self.counts["given up and asked for again"] += 1

    async def _check_jobs(self) -> None:
        """What was asked for is there once, and nothing else."""
        listed = [item["id"] for item in await everything(self.operator, "/api/jobs")]
        wished = [id for wish in self.wishes for id in wish.ids]
        if sorted(listed) != sorted(wished):
            raise Violation(f"{len(wished)} jobs were accepted, and {len(listed)} are there")
        for wish in self.wishes:
            shown = await self._shown(wish.ids[-1])
            afar = wish.prompt.startswith(_AFAR)
            intact = shown["result"]["text"] == answer(wish.prompt) if afar else wish.prompt in shown["result"]["text"]
            if not intact:
                raise Violation(f"{wish.key} ended with another's result: {shown}")

    async def _check_notes(self) -> None:
        """No job landed twice, and what a worker was told has landed is what is shown."""
        landed = [line[1:] for hand in self.hands for line in hand.lines if line[0] == "landed"]
        if twice := [job for job, times in Counter(job for job, _ in landed).items() if times > 1]:
            raise Violation(f"landed more than once: {twice}")
        for job, attempt in landed:
            shown = await self._shown(job)
            if (shown["state"], shown["attempt"]) != ("succeeded", attempt):
                raise Violation(f"attempt {attempt} of {job} was taken, and it is shown as {shown}")
        afar = sum(wish.prompt.startswith(_AFAR) for wish in self.wishes)
        if not afar - self.counts["workers killed"] <= len(landed) <= afar:
            raise Violation(f"{afar} jobs were done by workers, who know of {len(landed)}")
        self.counts["landed by workers"] = len(landed)
        self.counts["refused as stale"] = sum(line[0] == "stale" for hand in self.hands for line in hand.lines)

    async def _check_books(self) -> None:
        """Each was paid for once, and nothing is reserved any more."""
        rows = (await ask(self.operator, "GET", "/api/usage")).json["items"]
        usage = {row["dimension"]: row for row in rows}
        if usage["ai.requests"]["used"] != len(self.wishes) or any(row["reserved"] for row in rows):
            raise Violation(f"{len(self.wishes)} jobs were done, and the books say {rows}")
