"""Start, measure and stop a server process and its children."""

import contextlib
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

START_LIMIT = 120.0
STOP_LIMIT = 10.0
POLL = 0.005
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


class Server:
    """A server process listening on a loopback port."""

    def __init__(
        self,
        command: Sequence[str],
        port: int,
        health: str,
        log: Path,
        environment: Mapping[str, str] | None = None,
        answers: frozenset[int] = frozenset({200}),
        patience: float = START_LIMIT,
    ) -> None:
        self.command = command
        self.port = port
        self.health = f"http://127.0.0.1:{port}{health}"
        self.log = log
        self.answers = answers
        self.patience = patience
        self.environment = {**os.environ, **(environment or {})}
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> float:
        """Start the server and return the seconds until its health answered 200."""
        began = time.perf_counter()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(self.command, env=self.environment, stdout=log, stderr=log)
        while not self.healthy():
            self.require_starting(began)
            time.sleep(POLL)
        return time.perf_counter() - began

    def healthy(self) -> bool:
        try:
            with urllib.request.urlopen(self.health, timeout=5) as answer:
                return answer.status in self.answers
        except urllib.error.HTTPError as refusal:
            return refusal.code in self.answers
        except (urllib.error.URLError, ConnectionError):
            return False

    def require_starting(self, began: float) -> None:
        late = time.perf_counter() - began > self.patience
        if late or (self.process and self.process.poll() is not None):
            self.stop()
            raise RuntimeError(f"server did not start: {self.log.read_text()[-2000:]}")

    def stop(self) -> None:
        if self.process is None:
            return
        started = self.pids()
        self.process.terminate()
        try:
            self.process.wait(STOP_LIMIT)
        except subprocess.TimeoutExpired:
            for pid in started:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.wait()
        self.process = None

    def pids(self) -> list[int]:
        return family(self.process.pid) if self.process else []

    def cpu_seconds(self) -> float:
        """User and system time of the whole process tree so far."""
        return cpu_seconds(self.pids())

    def resident_bytes(self) -> int:
        """Resident memory of the process tree; shared pages count for each process."""
        return resident_bytes(self.pids())


def resident_bytes(pids: Iterable[int]) -> int:
    """Resident memory of the processes."""
    return sum(int(stat(pid)[21]) for pid in pids) * PAGE


def cpu_seconds(pids: Iterable[int]) -> float:
    """User and system time of the processes so far, also of threads that have ended."""
    return sum(map(_cpu_clock, pids))


def _cpu_clock(pid: int) -> float:
    """Read the CPU clock of a process (clock_getcpuclockid(3)), which counts nanoseconds; /proc counts hundredths of a second."""
    try:
        return time.clock_gettime(~pid << 3 | 2)
    except OSError:
        return 0.0


def ended_seconds(pid: int) -> float:
    """User and system time of children that have exited."""
    values = stat(pid)
    return (int(values[13]) + int(values[14])) / TICKS


def stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name, which can contain spaces."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ["0"] * 50


def family(pid: int) -> list[int]:
    """The process and all its descendants."""
    everyone = [int(entry.name) for entry in Path("/proc").glob("[0-9]*")]
    parents = {process: int(stat(process)[1]) for process in everyone}
    found = [pid]
    for member in found:
        found += [child for child, parent in parents.items() if parent == member]
    return found
