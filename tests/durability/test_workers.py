"""Several server processes on one database: a dead one is replaced, and all stop together."""

import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.durability.soak import is_alive, serving
from tests.support.pinned import connect_to_each
from tests.support.postgres import create_database, drop_database
from tests.support.served import HOST, Served, free_port, teamspace

PATIENCE = 20.0
PASSWORD = "a cautious first passphrase"


@pytest.fixture(params=["sqlite", "postgres"])
def served(request: pytest.FixtureRequest, postgres_url: str, tmp_path: Path) -> Iterator[Served]:
    name = f"workers_{os.getpid()}"
    url = create_database(postgres_url, name) if request.param == "postgres" else ""
    settings = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": url, "SERVICE_WORKERS": "2"}
    with Served(settings) as server:
        yield server
    if url:
        drop_database(postgres_url, name)


@pytest.mark.parametrize("count", [1, 2])
def test_the_log_says_how_many_processes_there_are(tmp_path: Path, count: int) -> None:
    with Served({"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_WORKERS": str(count)}) as served:
        assert served.logs.count(f"server processes: {count} (SERVICE_WORKERS); this machine offers ") == 1


def test_a_dead_process_is_replaced_and_a_stop_ends_all(served: Served) -> None:
    wait_until(lambda: len(serving(served)) == 2)
    first = serving(served)
    os.kill(first[0], signal.SIGKILL)
    wait_until(lambda: len(serving(served)) == 2 and serving(served) != first)
    wait_until(served.healthy)
    assert served.stop() == 0


def test_processes_do_not_outlive_their_supervisor(served: Served) -> None:
    assert served.process is not None
    wait_until(lambda: len(serving(served)) == 2)
    workers = serving(served)
    os.kill(served.process.pid, signal.SIGKILL)
    served.process.wait()
    wait_until(lambda: not any(is_alive(worker) for worker in workers))


def test_processes_finish_what_they_accepted_before_another_server_can_start(tmp_path: Path) -> None:
    settings = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_WORKERS": "2", "SERVICE_STOP_SECONDS": "60"}
    with Served(settings) as served, socket.create_connection((HOST, served.port), timeout=PATIENCE) as upload:
        assert served.process is not None
        wait_until(lambda: len(serving(served)) == 2)
        workers = serving(served)
        token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        head = f"PUT /api/repo/kept HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: 10\r\n"
        upload.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
        assert upload.recv(1000).startswith(b"HTTP/1.1 100 ")
        upload.sendall(b"01234")
        os.kill(served.process.pid, signal.SIGKILL)
        served.process.wait()
        refused = teamspace("serve", settings={**settings, "SERVICE_PORT": str(free_port())})
        assert refused.returncode != 0 and "another server" in refused.stderr
        upload.sendall(b"56789")
        assert upload.recv(1000).startswith(b"HTTP/1.1 201 ")
        wait_until(lambda: not any(is_alive(worker) for worker in workers))
        served.kill()
        served.start()
        assert [item["size"] for item in served.call("GET", "/api/repo", token=token)["items"]] == [10]


def test_a_process_that_is_replaced_leaves_the_jobs_of_the_others_alone(served: Served) -> None:
    with ExitStack() as stack:
        dying, other = connect_to_each(served, 2, stack)
        token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        process = dying.process
        os.kill(process, signal.SIGKILL)
        draft = {"kind": "ai.chat", "input": {"prompt": "[simulate:hang]"}}
        status, job = other.call("POST", "/api/jobs", draft, token)
        assert status == 202

        def state() -> tuple[str, int]:
            _, shown = other.call("GET", f"/api/jobs/{job['id']}", None, token)
            return shown["state"], shown["attempt"]

        wait_until(lambda: state() == ("running", 1))
        wait_until(lambda: process not in serving(served) and len(serving(served)) == 2)
        for connection in connect_to_each(served, 2, stack):
            assert connection.call("GET", "/api/whoami", None, token)[0] == 200
        assert state() == ("running", 1)


def test_chores_are_done_whichever_process_dies(served: Served) -> None:
    """Audit rows are sealed by the leader, and one of the two that are killed is the leader."""
    wait_until(lambda: len(serving(served)) == 2)
    token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]

    def write_and_seal() -> None:
        id = served.call("POST", "/api/notes", {"title": "Plan", "body": ""}, token=token)["id"]

        def is_sealed() -> bool:
            rows = served.call("GET", "/api/audit?limit=5", token=token)["items"]
            return any(row["target"] == id and row["hash"] for row in rows)

        wait_until(is_sealed)

    def kill(process: int) -> None:
        os.kill(process, signal.SIGKILL)
        wait_until(lambda: process not in serving(served) and len(serving(served)) == 2)
        wait_until(served.healthy)

    for process in serving(served):
        write_and_seal()
        kill(process)
    write_and_seal()


def test_counters_never_go_backwards(served: Served) -> None:
    """Whichever process answers, a counter of any of them is at least what was seen before."""
    wait_until(lambda: len(serving(served)) == 2)
    token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
    seen: dict[str, float] = {}
    for _ in range(30):
        served.call("GET", "/api/whoami", token=token)
        for process, count in counted(served, token).items():
            assert count >= seen.get(process, 0)
            seen[process] = count
    assert len(seen) == 2


def test_a_rate_limit_counts_for_all_processes(tmp_path: Path) -> None:
    settings = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_WORKERS": "2", "SERVICE_RATE_ANONYMOUS": "20"}
    with Served(settings) as served:
        wait_until(lambda: len(serving(served)) == 2)
        statuses = [served._request("GET", "/api/notes", None, {})[0] for _ in range(60)]
    assert 20 <= statuses.count(401) < 40 and statuses.count(429) > 20


def test_tabs_that_resume_at_once_get_in_whichever_process_answers(served: Served) -> None:
    wait_until(lambda: len(serving(served)) == 2)
    served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})
    sign_in = {"username": "ann", "password": PASSWORD, "stay": True}
    _, first = exchange(served, "/api/login", sign_in, "")
    with ThreadPoolExecutor(8) as tabs:
        answers = list(tabs.map(lambda _: exchange(served, "/api/login/resume", {}, first), range(8)))
    for token, _ in answers:
        assert served.call("GET", "/api/whoami", token=token)["user"]["username"] == "ann"
    [second] = [cookie for _, cookie in answers if cookie]
    assert exchange(served, "/api/login/resume", {}, second)[1]
    with pytest.raises(HTTPError, match="401"):
        exchange(served, "/api/login/resume", {}, first)
    with pytest.raises(HTTPError, match="401"):
        exchange(served, "/api/login/resume", {}, second)


def exchange(served: Served, path: str, body: dict[str, Any], cookie: str) -> tuple[str, str]:
    """Return the token of the session, and the new cookie if there is one."""
    headers = {"content-type": "application/json", "x-requested-by": "console", "origin": served.url, "cookie": cookie}
    with urlopen(Request(f"{served.url}{path}", json.dumps(body).encode(), headers), timeout=20) as answer:
        return json.load(answer)["token"], answer.headers.get("set-cookie", "").partition(";")[0]


def counted(served: Served, token: str) -> dict[str, float]:
    """Return how many requests each process says it has answered."""
    headers = {"authorization": f"Bearer {token}", "accept": "text/plain"}
    with urlopen(Request(f"{served.url}/api/metrics", headers=headers), timeout=20) as answer:
        lines = answer.read().decode().splitlines()
    found: dict[str, float] = {}
    for line in lines:
        if line.startswith("teamspace_requests_total{"):
            labels, _, count = line.rpartition(" ")
            process = labels.partition('process="')[2].partition('"')[0]
            found[process] = found.get(process, 0) + float(count)
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.05)


def test_what_cannot_start_is_refused_once_and_not_tried_again(tmp_path: Path) -> None:
    experience = tmp_path / "experience.json"
    experience.write_text('{"fields": 1}')
    settings = {
        "SERVICE_DATA": str(tmp_path / "data"), "SERVICE_PORT": str(free_port()), "SERVICE_WORKERS": "2",
        "SERVICE_BETA_EXPERIENCE": str(experience),
    }  # fmt: skip
    refused = teamspace("serve", settings=settings)
    assert refused.returncode != 0
    (line,) = refused.stderr.splitlines()
    assert line.startswith("teamspace: SERVICE_BETA_EXPERIENCE: ")
