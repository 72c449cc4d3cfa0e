"""Every kind of write to an instance, with a recorder; and a snapshot of what the instance shows."""

import asyncio
import hashlib
import random
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from teamspace import blobs, wiring
from teamspace.core.db import audit
from tests.durability.disk import Acknowledged, Event, Requested
from tests.durability.recorder import Recorder
from tests.support.world import PASSWORD, Caller, World

SITE = "http://teamspace.test"
SMALL, LARGE = 2_000, 90_000
"""Sizes of a blob in a row and of one in a file."""
_PARTS = (
    "SELECT key, number, blob FROM object_uploads JOIN object_upload_parts ON upload_id = object_uploads.id"
    " ORDER BY key, number"
)
State = Any
"""Of a subject: its representation, and its requests in the audit log; None if it does not exist."""


@dataclass(frozen=True)
class Step:
    """The request of this number about a subject."""

    subject: str
    number: int


@dataclass(frozen=True)
class Sealed:
    """Heads of the audit chains, kept elsewhere."""

    heads: tuple[str, ...]


class Workload:
    """Requests that each change only one subject: a note, an object, an upload, a job, the instance."""

    def __init__(self, recorder: Recorder, world: World) -> None:
        self.token = ""
        self.states: dict[str, list[State]] = defaultdict(lambda: [None])
        """The states of each subject, before any request and after each."""
        self._recorder, self._world = recorder, world

    async def all(self) -> None:
        await self._begin()
        await asyncio.gather(*(self._write_note(f"note-{number}") for number in range(4)))
        await self._put("object-small", SMALL)
        await self._put("object-large", LARGE)
        await asyncio.gather(self._put("object-small", SMALL), self._put("object-large", LARGE))
        await self._seal()
        await asyncio.gather(self._upload_in_parts("object-parts"), self._run_jobs("job-one", "job-two"))
        await self._remove("object-large")
        await self._collect()
        await self._put("object-again", LARGE)
        await self._seal()

    async def minimal(self) -> None:
        """The shortest workload in which a missing sync is noticed."""
        await self._begin()
        await self._put("object-large", LARGE)

    def possible(self, log: Sequence[Event]) -> dict[str, list[State]]:
        """Return the possible states of every subject after these events."""
        requested, answered = dict.fromkeys(self.states, 0), dict.fromkeys(self.states, 0)
        for event in log:
            match event:
                case Requested(Step(subject, number)):
                    requested[subject] = number
                case Acknowledged(Step(subject, number)):
                    answered[subject] = number
        return {name: states[answered[name] : requested[name] + 1] for name, states in self.states.items()}

    # One request

    async def _request(
        self, subject: str, caller: Caller, method: str, path: str, body: Any = None, *, durable: bool = True, **options: Any
    ) -> httpx2.Response:  # fmt: skip
        number = len(self.states[subject])
        headers = {"x-request-id": f"{subject}.{number}", **options.pop("headers", {})}
        self._recorder.note(Requested(Step(subject, number)))
        answer = await caller(method, path, body, headers=headers, **options)
        assert answer.is_success, answer.text
        if durable:
            self._recorder.note(Acknowledged(Step(subject, number)))
        self.token = self.token or answer.json()["token"]
        self.states[subject].append((await snapshot(self._world, self.token)).get(subject))
        return answer

    @property
    def _ann(self) -> Caller:
        return Caller(self._world, self.token)

    # The writes

    async def _begin(self) -> None:
        draft = {"username": "ann", "password": PASSWORD}
        await self._request("instance", self._world.anonymous, "POST", "/api/bootstrap", draft)

    async def _write_note(self, subject: str) -> None:
        draft = {"title": subject, "body": "first " * 200, "visibility": "team", "tags": ["one"]}
        made = await self._request(subject, self._ann, "POST", "/api/notes", draft)
        path = f"/api/notes/{made.json()['id']}"
        await self._request(subject, self._ann, "PUT", path, {"body": "second " * 900, "tags": ["two"]})
        if subject.endswith("0"):
            await self._request(subject, self._ann, "DELETE", path)

    async def _put(self, subject: str, size: int) -> None:
        await self._request(subject, self._ann, "PUT", f"/api/repo/{subject}", content=self._bytes(subject, size))

    async def _remove(self, subject: str) -> None:
        items = (await self._ann.get("/api/repo")).json()["items"]
        (object_id,) = [item["id"] for item in items if item["key"] == subject]
        await self._request(subject, self._ann, "DELETE", f"/api/repo-obj/{object_id}")

    async def _upload_in_parts(self, subject: str) -> None:
        made = (await self._request("key", self._ann, "POST", "/api/s3/credentials", {})).json()
        signer = S3SigV4Auth(Credentials(made["access_key_id"], made["secret_access_key"]), "s3", made["region"])
        path = f"/{made['bucket']}/{subject}"

        async def signed(method: str, query: str, body: bytes = b"") -> httpx2.Response:
            request = AWSRequest(method, f"{SITE}{path}?{query}", data=body, headers={"host": "teamspace.test"})
            signer.add_auth(request)
            anonymous = self._world.anonymous
            return await self._request(
                subject, anonymous, method, f"{path}?{query}", content=body, headers=dict(request.headers.items())
            )

        started = (await signed("POST", "uploads=")).text
        upload = started.partition("<UploadId>")[2].partition("<")[0]
        tags = []
        for number, size in ((1, LARGE), (1, LARGE), (2, SMALL), (3, LARGE)):
            answer = await signed("PUT", f"partNumber={number}&uploadId={upload}", self._bytes(subject, size))
            tags.append((number, answer.headers["etag"]))
        chosen = "".join(f"<Part><PartNumber>{n}</PartNumber><ETag>{tag}</ETag></Part>" for n, tag in tags[1:])
        whole = f"<CompleteMultipartUpload>{chosen}</CompleteMultipartUpload>"
        await signed("POST", f"uploadId={upload}", whole.encode())

    async def _run_jobs(self, *subjects: str) -> None:
        made = await self._request(
            "executor", self._ann, "POST", "/api/executors", {"name": "executor", "mode": "pull"}
        )
        worker = Caller(self._world, made.json()["token"])
        for subject in subjects:
            draft = {"kind": "ai.chat", "input": {"prompt": subject, "model": "llama"}}
            await self._request(subject, self._ann, "POST", "/api/jobs", draft)
            # A claim need not be durable: if it is lost, the job can be claimed again.
            claimed = (
                await self._request(
                    subject, worker, "POST", "/api/workers/claim", {"kinds": ["ai.chat"]}, durable=False
                )
            ).json()
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            result = {"claim_token": claimed["claim_token"], "result": {"text": f"Done {subject}", "usage": usage}}
            await self._request(subject, worker, "POST", f"/api/workers/jobs/{claimed['job']['id']}/complete", result)

    async def _collect(self) -> None:
        assert await blobs.collect(self._world.db, self._world.app.files, wiring.BLOB_COLUMNS, retention=0)

    async def _seal(self) -> None:
        assert await audit.seal(self._world.db)
        heads = [str(head) async for head in audit.chain_heads(self._world.db)]
        self._recorder.note(Acknowledged(Sealed(tuple(heads))))

    def _bytes(self, subject: str, size: int) -> bytes:
        return random.Random(f"{subject}.{len(self.states[subject])}").randbytes(size)


# Snapshots


async def snapshot(world: World, token: str) -> dict[str, State]:
    """Return the state of every existing subject."""
    parts, recorded = defaultdict[str, list[Any]](list), defaultdict[str, list[Any]](list)
    async for subject, part in _parts(world, Caller(world, token)):
        parts[subject].append(part)
    for request, action in await world.db.engine.fetch("SELECT request_id, action FROM audit ORDER BY id", {}):
        recorded[request.partition(".")[0]].append((request, action))
    return {subject: (parts[subject], recorded[subject]) for subject in {*parts, *recorded}}


async def _parts(world: World, ann: Caller) -> AsyncIterator[tuple[str, Any]]:
    """Yield the parts of each subject's representation."""
    if (me := await ann.get("/api/whoami")).status_code == 401:
        return
    yield "instance", me.json()
    for note in await _list(ann, "/api/notes"):
        yield note["title"], (await ann.get(f"/api/notes/{note['id']}")).json()
    for item in await _list(ann, "/api/repo"):
        content = await ann.get(f"/api/repo-obj/{item['id']}/content")
        yield item["key"], (item, content.status_code, hashlib.sha256(content.content).hexdigest())
    for job in await _list(ann, "/api/jobs"):
        if job["kind"] == "ai.chat":
            whole = (await ann.get(f"/api/jobs/{job['id']}")).json()
            yield whole["input"]["prompt"], {name: whole[name] for name in ("state", "attempt", "result")}
    for executor in await _list(ann, "/api/executors"):
        yield executor["name"], executor["mode"]
    for key in await _list(ann, "/api/s3/credentials"):
        yield "key", key["access_key_id"]
    for key, number, blob in await world.db.engine.fetch(_PARTS, {}):
        yield key, (number, blob)


async def _list(ann: Caller, path: str) -> list[dict[str, Any]]:
    answer = await ann.get(path)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items
