"""The real server in a separate process, for tests of starting, stopping and crashing."""

import contextlib
import http.client
import json
import os
import random
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from tests.support import preloaded
from tests.support.preloaded import Forked

HOST = "127.0.0.1"
START_LIMIT, STOP_LIMIT, COMMAND_LIMIT, ANSWER_LIMIT = 60.0, 40.0, 60.0, 60.0
"""A start takes less than a second, but the machine may be busy."""
_POLL = 0.005
_TRIES = 5
_PORTS = range(20_000, 32_000)
_DEFAULTS = {
    "SERVICE_WORKERS": "1",
    "SERVICE_RATE_TOKEN": "0",
    "SERVICE_RATE_ANONYMOUS": "0",
    "SERVICE_SIMULATE": "true",
    "SERVICE_POSTGRES_SYNC": "any",  # the PostgreSQL of the tests runs without fsync
}
DEFAULT_RATES = {"SERVICE_RATE_TOKEN": "", "SERVICE_RATE_ANONYMOUS": ""}
"""Settings that restore the default rate limits."""


class Served:
    """One server at `url`, which can be killed and restarted with the same folder and port."""

    def __init__(
        self, settings: Mapping[str, str], program: str = "teamspace", *, new_interpreter: bool = False
    ) -> None:
        """`settings` are SERVICE_* values, SERVICE_DATA at least. By default there is one process without rate
        limits, the model is simulated, and PostgreSQL may run without fsync. With SERVICE_TLS_CERT the server uses https, and calls
        trust that certificate. `program` is a module that takes the same arguments as teamspace. Tests of the start
        itself need a `new_interpreter`; others get a fork of a process that has imported the server.
        """
        self.port = int(settings.get("SERVICE_PORT") or free_port())
        certificate = settings.get("SERVICE_TLS_CERT")
        self.tls = ssl.create_default_context(cafile=certificate) if certificate else None
        self.url = f"{'https' if self.tls else 'http'}://{HOST}:{self.port}"
        self.settings = {**_DEFAULTS, **settings}
        self.settings["SERVICE_PORT"] = str(self.port)
        self.log = Path(settings["SERVICE_DATA"] + ".log")
        self.process: subprocess.Popen[bytes] | Forked | None = None
        self._program = program
        self._new_interpreter = new_interpreter

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def logs(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def start(self) -> float:
        """Start and wait until it answers; return the seconds that took, without those it waited for a processor."""
        if not self._new_interpreter:
            preloaded.prepare()
        started = time.perf_counter()
        process = self.launch()
        while not self.healthy():
            if process.poll() is not None or time.perf_counter() - started > START_LIMIT:
                raise RuntimeError(f"the server did not start:\n{self.logs[-3000:]}")
            time.sleep(_POLL)
        return time.perf_counter() - started - _waited_for_processor(process.pid)

    def launch(self) -> subprocess.Popen[bytes] | Forked:
        """Start without waiting, in a new process group, so that children can be killed too."""
        with self.log.open("ab") as log:
            if self._new_interpreter:
                self.process = subprocess.Popen(
                    [sys.executable, "-m", self._program, "serve"],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    **_environment(self.settings),
                )
            else:
                self.process = preloaded.start(
                    self._program, "serve", stdout=log, stderr=log, **_environment(self.settings)
                )
        return self.process

    def healthy(self, timeout: float = 2.0) -> bool:
        connection = self._connection(timeout)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def call(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        """Send a request that must succeed; return the decoded response."""
        return self._call(
            method, path, json.dumps(body).encode() if body is not None else None, "application/json", token
        )

    def put(self, path: str, body: bytes, token: str) -> Any:
        """Upload bytes; return the decoded response."""
        return self._call("PUT", path, body, "application/octet-stream", token)

    def _call(self, method: str, path: str, body: bytes | None, content_type: str, token: str) -> Any:
        headers = {"content-type": content_type, **({"authorization": f"Bearer {token}"} if token else {})}
        for _ in range(_TRIES):
            status, text = self._request(method, path, body, headers)
            if status != 503:
                break
            time.sleep(1)  # load shedding: nothing was done, so retry
        if status >= 400:
            raise RuntimeError(f"{method} {path} was answered {status}: {text[:500]!r}")
        return json.loads(text) if text else None

    def _request(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        connection = self._connection(ANSWER_LIMIT)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        if self.tls:
            return http.client.HTTPSConnection(HOST, self.port, timeout=timeout, context=self.tls)
        return http.client.HTTPConnection(HOST, self.port, timeout=timeout)

    def kill(self) -> None:
        """SIGKILL to the server and its children; wait until all have exited."""
        self.send_sigkill()
        if self.process is not None:
            self.process.wait()
            while _alive(self.process.pid):
                time.sleep(_POLL)
            self.process = None

    def send_sigkill(self) -> None:
        """Send SIGKILL and do not wait."""
        if self.process is not None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                self.process.kill()  # one that has just been forked leads no group yet

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the server and its children."""
        assert self.process is not None
        os.killpg(self.process.pid, number)

    def stop(self) -> int:
        """Send SIGTERM and wait; return the exit code."""
        assert self.process is not None
        self.process.terminate()
        code = self.process.wait(STOP_LIMIT)
        self.process = None
        return code


def teamspace(*arguments: str, settings: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command of the CLI and wait for it."""
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        process = preloaded.start("teamspace", *arguments, stdout=stdout, stderr=stderr, **_environment(settings))
        try:
            code = process.wait(COMMAND_LIMIT)
        finally:
            process.kill()
        stdout.seek(0)
        stderr.seek(0)
        return subprocess.CompletedProcess(["teamspace", *arguments], code, stdout.read(), stderr.read())


def free_port() -> int:
    """A free port below the ephemeral range, so that it stays free while the server restarts."""
    for port in random.sample(_PORTS, 100):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind((HOST, port))
            return port
    raise RuntimeError("there is no free port")


def _environment(settings: Mapping[str, str]) -> dict[str, Any]:
    """Only the given settings: none from the environment, none from a .env file."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SERVICE_")}
    return {"env": {**inherited, **settings}, "cwd": "/"}


def _waited_for_processor(pid: int) -> float:
    """How long the main thread of a process could have run, but others did."""
    statistics = Path(f"/proc/{pid}/schedstat")
    return int(statistics.read_text().split()[1]) / 1e9 if statistics.exists() else 0.0


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
