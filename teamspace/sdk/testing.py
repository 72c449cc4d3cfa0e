"""A real server for the tests of a plugin, with a database of its own that is thrown away:

    with testing.server(folder) as server:
        assert server.get("/api/x/greeter/greeting/Ann").json() == {"text": "Hello Ann"}
        assert server.call_tool("greet", {"name": "Ann"}) == {"text": "Hello Ann"}

Requests are those of an operator of the instance; `limited_to` and `anonymous` give other callers.
"""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import msgspec

from teamspace.core.messages import render
from teamspace.settings import environment_with

_HOST = "127.0.0.1"
_START_SECONDS = 60.0
_POLL_SECONDS = 0.02
_PASSWORD = "only for a test of a plugin"
_ENDED = ("succeeded", "failed", "cancelled")
_GAP = "\0"
_TEXTS = (render(key, {"plugin": _GAP, "seconds": _GAP}) for key in ("plugins.failed", "plugins.timeout"))
_FAILED = re.compile("|".join(re.escape(text).replace(_GAP, ".*") for text in _TEXTS))
"""What callers are told about a tool that failed."""


_TRIES = 5


class PluginTestError(Exception):
    """The server did not start, or the plugin could not be loaded; the message says why."""


class ToolRefused(Exception):
    """The tool was not called, or refused the call; the message is what a model sees."""


class ToolCrashed(Exception):
    """The tool raised something else than UserError, took too long, or returned what is not JSON."""


class JobFailed(Exception):
    """The job did not succeed in time."""


class HttpAnswer(msgspec.Struct, frozen=True):
    status: int
    headers: dict[str, str]
    """By name in lower case."""
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class PluginClient:
    """Sends requests to a server, with one credential."""

    def __init__(self, port: int, token: str, seconds: float) -> None:
        self._port, self._token, self._seconds = port, token, seconds

    def request(
        self, method: str, path: str, body: Any = None, *, content: bytes | None = None
    ) -> HttpAnswer:  # fmt: skip
        """Send a body as JSON, or `content` as it is. The path is sent as it is, too.

        What a busy server has refused without doing anything is sent again.
        """
        headers = {"authorization": f"Bearer {self._token}"} if self._token else {}
        if content is None and body is not None:
            content = json.dumps(body).encode()
            headers["content-type"] = "application/json"
        for _ in range(_TRIES):
            answer = self._send(method, path, content, headers)
            if answer.status != 503 or b'"server.overloaded"' not in answer.body:
                break
            time.sleep(1)
        return answer

    def _send(self, method: str, path: str, content: bytes | None, headers: Mapping[str, str]) -> HttpAnswer:
        connection = http.client.HTTPConnection(_HOST, self._port, timeout=self._seconds)
        try:
            connection.request(method, path, content, headers)
            answer = connection.getresponse()
            return HttpAnswer(
                answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
            )
        finally:
            connection.close()

    def get(self, path: str) -> HttpAnswer:
        return self.request("GET", path)

    def post(self, path: str, body: Any = None) -> HttpAnswer:
        return self.request("POST", path, {} if body is None else body)

    def put(self, path: str, body: Any) -> HttpAnswer:
        return self.request("PUT", path, body)

    def delete(self, path: str) -> HttpAnswer:
        return self.request("DELETE", path)

    def call_tool(self, name: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """Turn a tool on for the team and call it; return an object as it is, and any other result as models see it.

        Raises ToolRefused or ToolCrashed.
        """
        _expect(self.post(f"/api/tools/{name}", {"enabled": True}), ToolRefused)
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": name, "arguments": arguments or {}},
        }
        answer = _expect(self.post("/mcp", message), ToolCrashed)
        if fault := answer.get("error"):
            raise ToolRefused(fault["message"])
        result, text = answer["result"], answer["result"]["content"][0]["text"]
        if result["isError"]:
            raise ToolCrashed(text) if _FAILED.fullmatch(text) else ToolRefused(text)
        return result.get("structuredContent", text)

    def run_job(self, kind: str, input: Any) -> Any:
        """Create a job and return its result, or raise JobFailed."""
        job = _expect(self.post("/api/jobs", {"kind": kind, "input": input}), JobFailed)
        ends = time.monotonic() + self._seconds
        while job["state"] not in _ENDED and time.monotonic() < ends:
            time.sleep(_POLL_SECONDS)
            job = _expect(self.get(f"/api/jobs/{job['id']}"), JobFailed)
        if job["state"] == "succeeded":
            return job["result"]
        error = job.get("error") or {"message": "it did not end in time", "code": "timeout"}
        raise JobFailed(f"{job['state']}: {error['message']} ({error['code']})")


class PluginServer(PluginClient):
    """A server in a process of its own. Its client is the operator."""

    def __init__(self, process: "subprocess.Popen[bytes]", log: Path, port: int, seconds: float) -> None:
        super().__init__(port, "", seconds)
        self.process = process
        self._log = log
        self.anonymous = PluginClient(port, "", seconds)

    @property
    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def limited_to(self, *permissions: str) -> PluginClient:
        """Return a client of the same person with a token for these permissions, such as `notes:read`."""
        issued = _expect(self.post("/api/tokens", {"name": "limited", "scope": list(permissions)}), PluginTestError)
        return PluginClient(self._port, issued["token"], self._seconds)

    def sign_in(self) -> None:
        """Set up the instance, as its operator."""
        person = {"username": "operator", "password": _PASSWORD}
        self._token = _expect(self.anonymous.post("/api/bootstrap", person), PluginTestError)["token"]

    def wait_until_it_answers(self) -> None:
        ends = time.monotonic() + _START_SECONDS
        while not self._is_healthy():
            if self.process.poll() is not None or time.monotonic() > ends:
                raise PluginTestError(f"the server did not start: {self.log.strip()[-2000:]}")
            time.sleep(_POLL_SECONDS)

    def check_plugins(self) -> None:
        """Raise if a plugin could not be loaded."""
        for plugin in _expect(self.get("/api/plugins"), PluginTestError)["items"]:
            if plugin["state"] == "failed":
                raise PluginTestError(f"the plugin {plugin['id']} was not loaded: {plugin['error']}")

    def _is_healthy(self) -> bool:
        with suppress(OSError, http.client.HTTPException):
            return self.anonymous.get("/health").status == 200
        return False


@contextmanager
def server(
    *folders: Path, settings: Mapping[str, str] | None = None, seconds: float = 30.0
) -> Iterator[PluginServer]:  # fmt: skip
    """Run a server with the plugins in these folders, and further settings. A request may take so many `seconds`."""
    with tempfile.TemporaryDirectory(prefix="teamspace-test-") as place:
        folder, port = Path(place), _find_port()
        environment = environment_with(
            {
                "SERVICE_DATA": str(folder / "data"), "SERVICE_PORT": str(port), "SERVICE_HOST": _HOST, "SERVICE_WORKERS": "1",
                "SERVICE_PLUGINS": ",".join(str(each.resolve()) for each in folders),
                "SERVICE_SIMULATE": "true", "SERVICE_RATE_TOKEN": "0", "SERVICE_RATE_ANONYMOUS": "0",
                "SERVICE_SQLITE_SYNC": "normal", **(settings or {}),
            }
        )  # fmt: skip
        with (folder / "log").open("wb") as log:
            process = _start(folder, environment, log)
        try:
            running = PluginServer(process, folder / "log", port, seconds)
            running.wait_until_it_answers()
            running.sign_in()
            running.check_plugins()
            yield running
        finally:
            _kill(process)


def _start(folder: Path, environment: Mapping[str, str], log: IO[bytes]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "teamspace", "serve"],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        cwd=folder,
        env=environment,
        start_new_session=True,
    )


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """End the server and its children; there is nothing to save."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _find_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _expect(answer: HttpAnswer, error: type[Exception]) -> Any:
    """Return the decoded body, or raise the error with the server's reason."""
    if answer.status < 400:
        return answer.json()
    with suppress(ValueError, KeyError, TypeError):
        raise error(answer.json()["detail"])
    raise error(f"status {answer.status}")
