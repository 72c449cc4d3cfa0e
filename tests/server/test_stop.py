"""Stopping a server: one deadline for connections, requests and jobs, and no acknowledged write is lost."""

import contextlib
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.durability.test_jobs import Client
from tests.support.served import HOST, Served, teamspace

STOP_SECONDS = 3
ROGUE = Path(__file__).parents[1] / "plugins/rogue"
PATIENCE = 30.0
"""Seconds, long enough for a busy machine. Without a deadline none of this would end."""


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> dict[str, str]:
    return {
        "SERVICE_DATA": str(tmp_path / "data"),
        "SERVICE_DATABASE_URL": database_url,
        "SERVICE_STOP_SECONDS": str(STOP_SECONDS),
    }


class EndlessUpload(threading.Thread):
    """Sends a few bytes again and again, as long as the server reads them."""

    def __init__(self, served: Served, token: str) -> None:
        super().__init__(daemon=True)
        self._socket = socket.create_connection((HOST, served.port))
        head = f"PUT /api/repo/endless HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        self._socket.sendall(f"{head}Content-Length: 1000000000\r\n\r\n".encode() + b"x" * 100_000)
        self.sending = threading.Event()
        self.start()

    def run(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._socket.sendall(b"x" * 2000)
                self.sending.set()
                threading.Event().wait(0.05)


@contextlib.contextmanager
def stalled_download(served: Served, token: str, object_id: str) -> Iterator[None]:
    with socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect((HOST, served.port))
        head = f"GET /api/repo-obj/{object_id}/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"
        reader.sendall(head.encode())
        assert reader.recv(15).startswith(b"HTTP/1.1 200")
        yield


class LongPoll(threading.Thread):
    def __init__(self, served: Served, token: str) -> None:
        super().__init__(daemon=True)
        self._connection = http.client.HTTPConnection(HOST, served.port, timeout=PATIENCE)
        body = json.dumps({"kinds": ["ai.chat"], "max_wait": 30})
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        self._connection.request("POST", "/api/workers/claim", body, headers)
        self.status = 0
        self.start()

    def run(self) -> None:
        self.status = self._connection.getresponse().status


async def test_a_stop_with_endless_uploads_jobs_and_polls_ends_in_time_and_loses_nothing(
    settings: dict[str, str],
) -> None:
    with Served(settings) as served:
        client = Client(served)
        file = served.put("/api/repo/large.bin", b"x" * 32_000_000, client.token)
        created = served.call("POST", "/api/executors", {"name": "afar", "mode": "pull"}, client.token)
        job = client.create_job_on("local", "Never mind. [simulate:hang]")
        await client.wait_for(job, "running")
        upload, poll = EndlessUpload(served, client.token), LongPoll(served, created["token"])
        with stalled_download(served, client.token, file["id"]):
            assert upload.sending.wait(PATIENCE)
            note = served.call("POST", "/api/notes", {"title": "Kept", "body": "It was answered."}, client.token)
            assert stop(served) == 0, served.logs[-3000:]
        poll.join(PATIENCE)
        assert poll.status == 204, "the open poll gets an empty answer"
        assert "and 1 jobs" in served.logs
        assert f"job {job} was interrupted and requeued" in served.logs
        assert "Traceback" not in served.logs
        cancelled = served.logs.partition("cancelling 2 requests")[2].partition("message=stopped")[0]
        assert cancelled.count(" request=") == 2, "both have ended, and were logged, before the database was closed"
        served.settings["SERVICE_SIMULATE"] = "false"
        served.start()
        assert served.call("GET", f"/api/notes/{note['id']}", token=client.token)["body"] == "It was answered."
        done = await client.wait_for(job, "succeeded")  # at once: the first attempt's lease need not expire
        assert (done["attempt"], done["max_attempts"]) == (2, 4)
        assert client.used() == (1, 0)
        assert stop(served) == 0, "with nothing to wait for"
        assert "cancelling" not in served.logs.rpartition("serving on")[2]
    assert teamspace("doctor", settings=settings).returncode == 0


def stop(served: Served) -> int:
    assert served.process is not None
    served.process.terminate()
    code: Any = served.process.wait(PATIENCE)
    served.process = None
    return int(code)


def test_a_server_that_is_stopping_first_sends_its_clients_away(settings: dict[str, str]) -> None:
    with Served({**settings, "SERVICE_GRACE_SECONDS": "2"}) as served:
        kept = http.client.HTTPConnection(HOST, served.port, timeout=PATIENCE)
        assert asked(kept, "/ready") == (200, None)
        stopping = threading.Thread(target=served.stop)
        stopping.start()
        statuses = set()
        while stopping.is_alive():
            with contextlib.suppress(OSError, http.client.HTTPException):
                statuses.add(asked(http.client.HTTPConnection(HOST, served.port, timeout=PATIENCE), "/ready"))
                statuses.add(asked(kept, "/health"))
        stopping.join()
    assert (503, "close") in statuses, "load balancers are told"
    assert (200, "close") in statuses, "and requests are still answered"


def test_a_server_that_is_blocked_while_it_sends_clients_away_exits_all_the_same(settings: dict[str, str]) -> None:
    limits = {"SERVICE_GRACE_SECONDS": "2", "SERVICE_STOP_SECONDS": "1", "SERVICE_WORKERS": "1"}
    with Served({**settings, **limits, "SERVICE_PLUGINS": str(ROGUE)}) as served:
        token = Client(served).token
        assert served.process is not None
        served.process.terminate()
        while asked(http.client.HTTPConnection(HOST, served.port, timeout=PATIENCE), "/ready") != (503, "close"):
            pass
        blocking = http.client.HTTPConnection(HOST, served.port, timeout=PATIENCE)
        blocking.request("GET", "/api/x/rogue/block", headers={"authorization": f"Bearer {token}"})
        assert served.process.wait(PATIENCE) == 1
        assert "the shutdown took too long" in served.logs
        served.process = None


def test_a_server_that_is_blocked_when_it_is_told_to_stop_exits_all_the_same(settings: dict[str, str]) -> None:
    limits = {"SERVICE_STOP_SECONDS": "1", "SERVICE_WORKERS": "1", "SERVICE_PLUGINS": str(ROGUE)}
    with Served({**settings, **limits}) as served:
        token = Client(served).token
        assert served.process is not None
        blocking = http.client.HTTPConnection(HOST, served.port, timeout=PATIENCE)
        blocking.request("GET", "/api/x/rogue/block", headers={"authorization": f"Bearer {token}"})
        while served.healthy(timeout=0.5):
            pass
        served.process.terminate()
        assert served.process.wait(PATIENCE) == 1
        assert "the shutdown took too long" in served.logs
        served.process = None


def asked(connection: http.client.HTTPConnection, path: str) -> tuple[int, str | None]:
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    return answer.status, answer.getheader("connection")
