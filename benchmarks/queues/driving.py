"""Run a queue's processes and measure them."""

import json
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from benchmarks.processes import cpu_seconds, family
from benchmarks.queues.contenders import Contender
from benchmarks.queues.storage import Storage

STEP_LIMIT = 600.0
STOP_LIMIT = 10.0
POLL = 0.002


@dataclass(frozen=True)
class Seen:
    """One measurement; CPU in seconds."""

    jobs: int
    seconds: float
    cpu: float
    database_cpu: float = 0.0

    @property
    def rate(self) -> float:
        return self.jobs / self.seconds


def step(contender: Contender, storage: Storage, *words: object) -> str:
    """Run one command to its end and return its output."""
    command = [*contender.command, *map(str, words)]
    ended = subprocess.run(
        command, env=storage.environment, capture_output=True, text=True, timeout=STEP_LIMIT, check=False
    )
    if ended.returncode:
        raise RuntimeError(f"{contender.name} {words} failed:\n{ended.stderr[-3000:]}")
    return ended.stdout


def enqueue(contender: Contender, storage: Storage, jobs: int, clients: int) -> Seen:
    step(contender, storage, "prepare", 0)
    storage.settle()
    before = storage.database_cpu()
    report = json.loads(step(contender, storage, "enqueue", jobs, clients))
    return Seen(jobs, report["seconds"], report["cpu"], storage.database_cpu() - before)


def drain(contender: Contender, storage: Storage, jobs: int, workers: int) -> Seen:
    """Measure from the first finished job until the database has no unfinished ones."""
    step(contender, storage, "prepare", jobs)
    storage.settle()
    with storage.asking() as holds, _started(contender, storage, workers) as crew:
        pids = [pid for worker in crew for pid in family(worker.process.pid)]
        used, stored = cpu_seconds(pids), storage.database_cpu()
        for worker in crew:
            worker.begin()
        _wait(crew, jobs)
        while holds(contender.unfinished):
            _check(crew)
            time.sleep(POLL)
        seconds = time.monotonic() - min(worker.first for worker in crew if worker.done)
        return Seen(jobs, seconds, cpu_seconds(pids) - used, storage.database_cpu() - stored)


class Worker:
    """A process that prints `ready`, then how many jobs it has done and the time of the first."""

    def __init__(self, contender: Contender, storage: Storage) -> None:
        self.done, self.first = 0, 0.0
        self.name = contender.name
        self.log = (storage.folder / "log").open("ab")
        self.process = subprocess.Popen(
            [*contender.command, "work"],
            env=storage.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
        )  # fmt: skip
        self.ready = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            if line.startswith("ready"):
                self.ready.set()
            else:
                done, first = line.split()
                self.first, self.done = float(first), int(done)

    def begin(self) -> None:
        assert self.process.stdin
        self.process.stdin.write("begin\n")
        self.process.stdin.flush()

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(STOP_LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


@contextmanager
def _started(contender: Contender, storage: Storage, workers: int) -> Iterator[list[Worker]]:
    with ExitStack() as stack:
        crew = []
        for _ in range(workers):
            crew.append(Worker(contender, storage))
            stack.callback(crew[-1].stop)
        for worker in crew:
            while not worker.ready.wait(0.1):
                _check(crew)
        yield crew


def _wait(crew: Sequence[Worker], jobs: int) -> None:
    deadline = time.monotonic() + STEP_LIMIT
    while sum(worker.done for worker in crew) < jobs:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{crew[0].name}: {[worker.done for worker in crew]} of {jobs} jobs")
        _check(crew)
        time.sleep(POLL)


def _check(crew: Sequence[Worker]) -> None:
    for worker in crew:
        if worker.process.poll() is not None:
            raise RuntimeError(f"a worker of {worker.name} exited: see {worker.log.name}")
