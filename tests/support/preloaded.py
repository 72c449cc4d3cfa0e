"""Commands of the product in forks of one process that has imported it: an import takes 0.6 s of processor time.

Each command has its own session, environment, folder and output, as if it had been started by itself.
"""

import atexit
import contextlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import IO, Any

ROOT = str(Path(__file__).parents[2])
"""Its code runs, also if another checkout is installed in the environment."""
_MAX_MESSAGE = 1 << 17


class Forked:
    """A running command, with the methods of `subprocess.Popen` that tests use."""

    def __init__(self, pid: int, ending: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ending = ending

    def poll(self) -> int | None:
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._look(timeout)
        if code is None:
            raise subprocess.TimeoutExpired("a forked command", timeout or 0.0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # it has ended, and the news is on its way
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _look(self, timeout: float | None) -> int | None:
        """Wait for the exit code; negative is the number of a signal."""
        if self.returncode is None and select.select([self._ending], [], [], timeout)[0]:
            self.returncode = int(os.read(self._ending, 20))
            os.close(self._ending)
        return self.returncode


def start(program: str, *arguments: str, env: Mapping[str, str], cwd: str, stdout: IO[Any], stderr: IO[Any]) -> Forked:
    """Run a module with arguments; it reads nothing."""
    return _forking().start({"argv": [program, *arguments], "env": dict(env), "cwd": cwd}, stdout, stderr)


def prepare() -> None:
    """Import the product now, not with the first command."""
    _forking()


@cache
def _forking() -> "_Forking":
    return _Forking()


class _Forking:
    """The process that forks; it ends with ours."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "tests.support.preloaded", str(theirs.fileno())]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], cwd="/", start_new_session=True,
            env={**os.environ, "PYTHONPATH": ROOT},
        )  # fmt: skip
        theirs.close()
        atexit.register(self._end)
        self._control.recv(1)

    def start(self, order: dict[str, Any], stdout: IO[Any], stderr: IO[Any]) -> Forked:
        ending, end = os.pipe()
        with self._lock:
            socket.send_fds(self._control, [json.dumps(order).encode()], [stdout.fileno(), stderr.fileno(), end])
            pid = int(self._control.recv(20))
        os.close(end)
        return Forked(pid, ending)

    def _end(self) -> None:
        self._control.close()
        self._process.wait()


# In the process that forks


def _fork_as_told(control: socket.socket) -> dict[str, Any] | None:
    """Return what to run in each fork, and None at the end in the process that forks."""
    awoken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # without a handler nothing is written to the pipe
    signal.set_wakeup_fd(wake)
    ends: dict[int, int] = {}
    while True:
        ready = select.select([control.fileno(), awoken], [], [])[0]
        if awoken in ready:
            os.read(awoken, 1000)
            _report(ends)
        if control.fileno() not in ready:
            continue
        message, descriptors, _, _ = socket.recv_fds(control, _MAX_MESSAGE, 3)
        if not message:
            return None
        stdout, stderr, end = descriptors
        if pid := os.fork():
            ends[pid] = end
            os.close(stdout)
            os.close(stderr)
            control.send(str(pid).encode())
            continue
        _leave(stdout, stderr)
        for descriptor in (*ends.values(), control.detach(), awoken, wake, stdout, stderr, end):
            os.close(descriptor)
        order: dict[str, Any] = json.loads(message)
        return order


def _report(ends: dict[int, int]) -> None:
    """Send the exit codes of commands that have ended."""
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            with contextlib.suppress(BrokenPipeError):
                os.write(ends[ended[0]], str(os.waitstatus_to_exitcode(ended[1])).encode())
            os.close(ends.pop(ended[0]))


def _leave(stdout: int, stderr: int) -> None:
    """Give up all that a fork shares with the process that it was."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)


def _run(order: dict[str, Any]) -> None:
    from teamspace.core import ids  # noqa: PLC0415

    ids._random.seed()  # two forks must not make the same ids
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["cwd"])
    program, *sys.argv[1:] = order["argv"]
    runpy.run_module(program, run_name="__main__", alter_sys=True)


def _main() -> None:
    import gc  # noqa: PLC0415

    gc.disable()
    from teamspace import cli  # noqa: F401, PLC0415

    gc.freeze()
    gc.enable()
    threads = Path("/proc/self/task")  # those of libraries too
    assert not threads.exists() or len(list(threads.iterdir())) == 1, "a fork would lack the other threads"
    control = socket.socket(fileno=int(sys.argv[1]))
    control.send(b"!")
    if order := _fork_as_told(control):
        _run(order)


if __name__ == "__main__":
    _main()
