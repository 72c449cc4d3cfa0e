"""Every kind of write to an instance, noted by a recorder; and what of it an instance shows."""

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
"""Bytes that lie in a row, and bytes that lie in a file."""
_PARTS = (
    "SELECT key, number, blob FROM object_uploads JOIN object_upload_parts ON upload_id = object_uploads.id"
    " ORDER BY key, number"
)
State = Any
"""Of a subject: how it shows itself, and the requests about it that are on the audit trail; None when it is not there."""


@dataclass(frozen=True)
class Step:
    """The request of this number about a subject."""

    subject: str
    number: int


@dataclass(frozen=True)
class Sealed:
    """Ends of the audit trail's chains, as somebody has kept them."""

    heads: tuple[str, ...]


class Workload:
    """Requests, each of which changes one subject alone: a note, an object, an upload, a job, the instance."""

    def __init__(self, recorder: Recorder, world: World) -> None:
        self.token = ""
        self.states: dict[str, list[State]] = defaultdict(lambda: [None])
        """Of each subject after each request, the first before any."""
        self._recorder, self._world = recorder, world

    async def all(self) -> None:
        await self._begin()
        await asyncio.gather(*(self._write_note(f"note-{number}") for number in range(4)))
        await self._put("object-small", SMALL)
        await self._put("object-large", LARGE)
        await asyncio.gather(self._put("object-small", SMALL), self._put("object-large", LARGE))
        await self._seal()
        await asyncio.gather(self._upload_in_parts("object-parts"), self._work_on("job-one", "job-two"))
        await self._remove("object-large")
        await self._collect()
        await self._put("object-again", LARGE)
        await self._seal()

    async def few(self) -> None:
        """What shows in little time whether a sync is missing."""
        await self._begin()
        await self._put("object-large", LARGE)

    def possible(self, log: Sequence[Event]) -> dict[str, list[State]]:
        """How every subject may be when no more than this has happened."""
        asked, answered = dict.fromkeys(self.states, 0), dict.fromkeys(self.states, 0)
        for event in log:
            match event:
                case Requested(Step(subject, number)):
                    asked[subject] = number
                case Acknowledged(Step(subject, number)):
                    answered[subject] = number
        return {name: states[answered[name] : asked[name] + 1] for name, states in self.states.items()}

    # One request

    async def _ask(
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
        self.states[subject].append((await picture(self._world, self.token)).get(subject))
        return answer

    @property
    def _ann(self) -> Caller:
        return Caller(self._world, self.token)

    # The writes

    async def _begin(self) -> None:
        wish = {"username": "ann", "password": PASSWORD}
        await self._ask("instance", self._world.anonymous, "POST", "/api/bootstrap", wish)

    async def _write_note(self, subject: str) -> None:
        wish = {"title": subject, "body": "first " * 200, "visibility": "team", "tags": ["one"]}
        made = await self._ask(subject, self._ann, "POST", "/api/notes", wish)
        path = f"/api/notes/{made.json()['id']}"
        await self._ask(subject, self._ann, "PUT", path, {"body": "second " * 900, "tags": ["two"]})
        if subject.endswith("0"):
            await self._ask(subject, self._ann, "DELETE", path)

    async def _put(self, subject: str, size: int) -> None:
        await self._ask(subject, self._ann, "PUT", f"/api/repo/{subject}", content=self._bytes(subject, size))

    async def _remove(self, subject: str) -> None:
        items = (await self._ann.get("/api/repo")).json()["items"]
        (object_id,) = [item["id"] for item in items if item["key"] == subject]
        await self._ask(subject, self._ann, "DELETE", f"/api/repo-obj/{object_id}")

    async def _upload_in_parts(self, subject: str) -> None:
        made = (await self._ask("key", self._ann, "POST", "/api/s3/credentials", {})).json()
        signer = S3SigV4Auth(Credentials(made["access_key_id"], made["secret_access_key"]), "s3", made["region"])
        place = f"/{made['bucket']}/{subject}"

        async def signed(method: str, query: str, body: bytes = b"") -> httpx2.Response:
            request = AWSRequest(method, f"{SITE}{place}?{query}", data=body, headers={"host": "teamspace.test"})
            signer.add_auth(request)
            nobody = self._world.anonymous
            return await self._ask(
                subject, nobody, method, f"{place}?{query}", content=body, headers=dict(request.headers.items())
            )

        begun = (await signed("POST", "uploads=")).text
        upload = begun.partition("<UploadId>")[2].partition("<")[0]
        tags = []
        for number, size in ((1, LARGE), (1, LARGE), (2, SMALL), (3, LARGE)):
            answer = await signed("PUT", f"partNumber={number}&uploadId={upload}", self._bytes(subject, size))
            tags.append((number, answer.headers["etag"]))
        chosen = "".join(f"<Part><PartNumber>{n}</PartNumber><ETag>{tag}</ETag></Part>" for n, tag in tags[1:])
        whole = f"<CompleteMultipartUpload>{chosen}</CompleteMultipartUpload>"
        await signed("POST", f"uploadId={upload}", whole.encode())

    async def _work_on(self, *subjects: str) -> None:
        made = await self._ask("executor", self._ann, "POST", "/api/executors", {"name": "executor", "mode": "pull"})
        worker = Caller(self._world, made.json()["token"])
        for subject in subjects:
            wish = {"kind": "ai.chat", "input": {"prompt": subject, "model": "llama"}}
            await self._ask(subject, self._ann, "POST", "/api/jobs", wish)
            # A claim need not last: when it is forgotten, the job is there for the next one who asks.
            handed = (
                await self._ask(subject, worker, "POST", "/api/workers/claim", {"kinds": ["ai.chat"]}, durable=False)
            ).json()
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            result = {"claim_token": handed["claim_token"], "result": {"text": f"Done {subject}", "usage": usage}}
            await self._ask(subject, worker, "POST", f"/api/workers/jobs/{handed['job']['id']}/complete", result)

    async def _collect(self) -> None:
        assert await blobs.collect(self._world.db, self._world.app.files, wiring.BLOB_COLUMNS, retention=0)

    async def _seal(self) -> None:
        assert await audit.seal(self._world.db)
        heads = [str(head) async for head in audit.chain_heads(self._world.db)]
        self._recorder.note(Acknowledged(Sealed(tuple(heads))))

    def _bytes(self, subject: str, size: int) -> bytes:
        return random.Random(f"{subject}.{len(self.states[subject])}").randbytes(size)


# What is there


async def picture(world: World, token: str) -> dict[str, State]:
    """The state of every subject that there is."""
    pieces, recorded = defaultdict[str, list[Any]](list), defaultdict[str, list[Any]](list)
    async for subject, piece in _pieces(world, Caller(world, token)):
        pieces[subject].append(piece)
    for request, action in await world.db.engine.fetch("SELECT request_id, action FROM audit ORDER BY id", {}):
        recorded[request.partition(".")[0]].append((request, action))
    return {subject: (pieces[subject], recorded[subject]) for subject in {*pieces, *recorded}}


async def _pieces(world: World, ann: Caller) -> AsyncIterator[tuple[str, Any]]:
    """What shows of the subjects, one after the other."""
    if (me := await ann.get("/api/whoami")).status_code == 401:
        return
    yield "instance", me.json()
    for note in await _listed(ann, "/api/notes"):
        yield note["title"], (await ann.get(f"/api/notes/{note['id']}")).json()
    for item in await _listed(ann, "/api/repo"):
        content = await ann.get(f"/api/repo-obj/{item['id']}/content")
        yield item["key"], (item, content.status_code, hashlib.sha256(content.content).hexdigest())
    for job in await _listed(ann, "/api/jobs"):
        if job["kind"] == "ai.chat":
            whole = (await ann.get(f"/api/jobs/{job['id']}")).json()
            yield whole["input"]["prompt"], {name: whole[name] for name in ("state", "attempt", "result")}
    for executor in await _listed(ann, "/api/executors"):
        yield executor["name"], executor["mode"]
    for key in await _listed(ann, "/api/s3/credentials"):
        yield "key", key["access_key_id"]
    for key, number, blob in await world.db.engine.fetch(_PARTS, {}):
        yield key, (number, blob)


async def _listed(ann: Caller, path: str) -> list[dict[str, Any]]:
    answer = await ann.get(path)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items
