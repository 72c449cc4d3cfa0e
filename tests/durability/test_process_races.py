"""One server of several real processes on SQLite: requests race through different ones, and rights change in one.

What one process does is known to the others at once. The same races with two servers in one process are in other folders
(mark `processes`).
"""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.jobs.help import result
from tests.support.pinned import PinnedConnection, at_once, connect_to_each
from tests.support.served import Served

ROUNDS = 15
PASSWORD = "a cautious first passphrase"
MAY_WRITE = {"guest": 403, "viewer": 403, "member": 201, "admin": 201}


class Processes(NamedTuple):
    connections: list[PinnedConnection]
    token: str

    def call(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        """Send a request to the first process that must succeed."""
        status, answer = self.connections[0].call(method, path, body, token or self.token)
        assert status < 400, answer
        return answer

    def race(self, method: str, path: str, body: Any = None, **headers: str) -> list[tuple[int, Any]]:
        """Send the same request to all at the same moment."""
        return at_once(self.connections, *[(method, path, body, self.token)] * len(self.connections), **headers)


@pytest.fixture(scope="module", params=[2, 4])
def processes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    folder: Path = tmp_path_factory.mktemp("processes")
    with (
        Served({"SERVICE_DATA": str(folder / "data"), "SERVICE_WORKERS": str(request.param)}) as served,
        ExitStack() as stack,
    ):
        token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        yield Processes(connect_to_each(served, request.param, stack), token)


def test_one_of_several_changes_of_a_version_wins(processes: Processes) -> None:
    note = processes.call("POST", "/api/notes", {"title": "Plan", "body": ""})
    for version in range(1, ROUNDS):
        answers = processes.race("PUT", f"/api/notes/{note['id']}", {"body": f"{version}"}, if_match=f'"{version}"')
        assert sorted(status for status, _ in answers) == [200, *[412] * (len(answers) - 1)]
    assert processes.call("GET", f"/api/notes/{note['id']}")["version"] == ROUNDS


def test_one_of_several_creations_of_a_file_wins(processes: Processes) -> None:
    for number in range(ROUNDS):
        answers = processes.race("PUT", f"/api/repo/race/{number}.json", {"number": number}, if_none_match="*")
        assert sorted(status for status, _ in answers) == [201, *[412] * (len(answers) - 1)]


def test_a_username_is_given_once(processes: Processes) -> None:
    for number in range(ROUNDS):
        answers = processes.race("POST", "/api/members", {"username": f"person{number}", "role": "member"})
        assert sorted(status for status, _ in answers) == [201, *[409] * (len(answers) - 1)]


def test_an_idempotency_key_takes_effect_once(processes: Processes) -> None:
    for number in range(ROUNDS):
        answers = processes.race("POST", "/api/notes", {"title": f"Once {number}"}, idempotency_key=f"once-{number}")
        created = {answer["id"] for status, answer in answers if status == 201}
        assert len(created) == 1, answers
        assert {status for status, _ in answers} <= {201, 409}, "a repeat gets the answer, or is told to wait for it"


def test_a_job_is_claimed_once(processes: Processes) -> None:
    executor = processes.call("POST", "/api/executors", {"name": f"Race {random.random()}", "mode": "pull"})
    claims = [("POST", "/api/workers/claim", {"kinds": ["ai.chat"]}, executor["token"])] * len(processes.connections)
    at_once(processes.connections, *claims)  # from now on the executor is known to work
    for _ in range(ROUNDS):
        draft = {"kind": "ai.chat", "input": {"prompt": "Hello", "executor": executor["name"]}}
        job = processes.call("POST", "/api/jobs", draft)
        claimed = [answer for status, answer in at_once(processes.connections, *claims) if status == 200]
        assert [each["job"]["id"] for each in claimed] == [job["id"]]
        outcome = {
            "claim_token": claimed[0]["claim_token"],
            "result": result(),
        }
        reports = [("POST", f"/api/workers/jobs/{job['id']}/complete", outcome, executor["token"])]
        answers = at_once(processes.connections, *reports * len(processes.connections))
        assert {status for status, _ in answers} == {204}, "a report that is repeated gets the same answer"
        assert processes.call("GET", f"/api/jobs/{job['id']}")["state"] == "succeeded"


def test_a_change_of_rights_in_one_process_applies_in_all(processes: Processes) -> None:
    chance = random.Random(1)
    person = processes.call("POST", "/api/members", {"username": "ben", "role": "member", "password": PASSWORD})
    token = processes.call("POST", "/api/login", {"username": "ben", "password": PASSWORD})["token"]
    for _ in range(ROUNDS):
        role = chance.choice(list(MAY_WRITE))
        changing = chance.choice(processes.connections)
        status, answer = changing.call(
            "PATCH", f"/api/members/{person['member']['user_id']}", {"role": role}, processes.token
        )
        assert status == 200, answer
        statuses = [each.call("POST", "/api/notes", {"title": role}, token)[0] for each in processes.connections]
        assert set(statuses) == {MAY_WRITE[role]}, role
    processes.call("DELETE", f"/api/members/{person['member']['user_id']}")
    assert {each.call("GET", "/api/notes", None, token)[0] for each in processes.connections} == {401}
