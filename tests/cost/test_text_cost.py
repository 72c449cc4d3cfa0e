"""What people's text costs the event loop: every way in, filled to its limit with the worst there is.

One request that holds the loop holds up every tenant. So every route, S3 operation and kind of job is found by its
table, every text of it is filled with repeats that trap a careless reader, and the processor time of the loop's own
thread is measured. What is refused counts too: refusing must be cheap. On SQLite alone, since the database sees the
same text either way, and SQLite's own reads are on the loop, which makes it the stricter of the two.
"""

import asyncio
import base64
import itertools
import struct
import zlib
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlsplit

import msgspec
import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from teamspace import routes, wiring
from teamspace.core.request import MAX_HEADER_BYTES, MAX_URL_BYTES
from teamspace.core.routing import Endpoint, Route
from teamspace.s3.domain.operations import OPERATIONS, Operation, ResourceLevel
from teamspace.s3.domain.requests import MAX_XML
from teamspace.settings import Settings, load
from tests.cost import attack
from tests.cost.attack import REPEATS, filled
from tests.cost.help import LIMIT, Call, Costs, some, spent
from tests.cost.table import BYTES, ROUTES, S3_OPERATIONS, XML
from tests.jobs.help import running
from tests.repository.help import put
from tests.support.world import Caller, World
from tests.support.world import world as opened

HOST_TOKEN = "the-host-of-the-tests"
URL_ROOM, HEADER_ROOM = MAX_URL_BYTES - 200, MAX_HEADER_BYTES - 1500
LARGE = 100_000
"""A text of which this much is taken is read in a thread; that costs time of its own, and not every repeat is tried
on every such route."""
BODY = 1024 * 1024


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    given = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_SQLITE_SYNC": "normal", "SERVICE_RATE_TOKEN": "0",
             "SERVICE_RATE_ANONYMOUS": "0", "SERVICE_TRUSTED_PROXIES": "127.0.0.1"}  # fmt: skip
    return load(given, file=tmp_path / "no.env")


@pytest.fixture
async def world(settings: Settings) -> AsyncIterator[World]:
    async with opened(settings) as instance:
        instance.app.gate._provision_token = HOST_TOKEN
        yield instance


class Stage(NamedTuple):
    world: World
    tokens: dict[str, str | None]
    things: dict[str, str]

    def headers(self, who: str = "ann", *more: tuple[bytes, bytes]) -> list[tuple[bytes, bytes]]:
        token = self.tokens[who]
        said = [(b"authorization", f"Bearer {token}".encode())] if token else []
        kind = [] if any(name == b"content-type" for name, _ in more) else [(b"content-type", b"application/json")]
        return [*said, *kind, *more]


@pytest.fixture
async def stage(world: World) -> Stage:
    ann = await world.bootstrap()
    worker = await world.worker(ann.org, ann.team)
    note = (await ann.post("/api/notes", {"title": "Plan", "body": "Text"})).json()
    document = (await ann.post("/api/documents", {"title": "Plan", "body": "Text"})).json()
    kept = await put(ann, "plans/a.txt", b"0123456789", content_type="text/plain")
    job = (await ann.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "Hello"}})).json()
    tokens = {"ann": ann.token, "worker": worker.token, "nobody": None, "host": HOST_TOKEN}
    things = {"note": note["id"], "document": document["id"], "object": kept["id"], "job": job["id"],
              "org": ann.org.id, "nothing": "nothing", "page": "page", "key": "plans/b.txt", "": ""}  # fmt: skip
    return Stage(world, tokens, things)


def path_of(route: str, named: str) -> str:
    parts = route.split()[1].split("/")
    return "/".join(named if part[:1] in (":", "*") else part for part in parts)


# Nothing is left out


def test_every_route_has_an_entry(world: World) -> None:
    assert {endpoint.route.name for endpoint in world.app.endpoints} == set(ROUTES)


def test_every_s3_operation_has_an_entry() -> None:
    assert {operation.name for operation in OPERATIONS} == set(S3_OPERATIONS)


def test_every_kind_of_job_has_an_entry() -> None:
    assert {row.kind for module in wiring.JOBS for row in module.JOBS} == set(JOBS)


# Routes

CAPABILITIES = sorted(routes.MODULES)


def endpoints(world: World, capability: str) -> list[Endpoint]:
    module = routes.MODULES[capability].__name__
    return [endpoint for endpoint in world.app.endpoints if endpoint.handler.__module__ == module]


@pytest.mark.parametrize("capability", CAPABILITIES)
async def test_no_text_in_a_body_holds_the_loop(stage: Stage, capability: str) -> None:
    costs = Costs(stage.world)
    for number, endpoint in enumerate(endpoints(stage.world, capability)):
        if endpoint.body is None:
            continue
        route, entry = endpoint.route, ROUTES[endpoint.route.name]
        path, base = path_of(route.name, stage.things[entry.about]), entry.body or {}

        call = partial(sent, stage, route, path, entry.who)
        status = await costs.of(route.name, call(msgspec.json.encode(base)))
        assert entry.refused or status not in (400, 405, 415), f"{route.name}: the entry's own body is not taken"
        for place, most in attack.places(endpoint.body):
            large = min(most or route.limit, route.limit) >= LARGE
            for repeat in some(REPEATS, number, 6) if large else REPEATS:
                filled_to = partial(attack.body_with, base, place, repeat, most, route.limit)
                half = partial(_half, call, filled_to)
                await costs.of(f"{route.name} {place} {repeat!r}", call(filled_to(1)), half)
    assert not costs.faults


def sent(stage: Stage, route: Route, path: str, who: str, body: bytes) -> Call:
    return Call(route.method, path, headers=stage.headers(who), body=body)


def _half(call: Callable[[bytes], Call], filled_to: Callable[[int], bytes]) -> Call:
    return call(filled_to(2))


def sound_and_unsound(limit: int) -> dict[str, bytes]:
    """Bodies of which the shape alone is the attack."""
    wholes = {
        "an unterminated string of quotes": (b'{"a": "', b'\\"', b""),
        "an unterminated string": (b'{"a": "', b"a", b""),
        "a nest": (b"", b"[", b""),
        "a nest of objects": (b"", b'{"a":', b""),
        "brackets that do not match": (b"", b"[{]}", b""),
        "backslashes": (b'{"a": "', b"\\\\", b'"}'),
        "escaped NULs that are none": (b'{"a": "', b"\\\\u0000", b'"}'),
        "many lists": (b'{"a": [', b"[],", b"[]]}"),
        "many objects": (b'{"a": [', b"{},", b"{}]}"),
        "many strings": (b'{"a": [', b'"",', b'""]}'),
        "many numbers": (b'{"a": [', b"1,", b"1]}"),
        "one number": (b'{"a": ', b"1", b"}"),
        "one unknown key": (b'{"', b"a", b'": 1}'),
        "one unknown key with places in it": (b'{"', b" - at `$.a", b'": 1}'),
        "equal keys": (b"{", b'"a": 1,', b'"a": 1}'),
        "spaces": (b"{", b" ", b"}"),
        "no UTF-8": (b'{"a": "', b"\xff", b'"}'),
    }
    return {
        name: begin + repeat * ((limit - len(begin) - len(end)) // len(repeat)) + end
        for name, (begin, repeat, end) in wholes.items()
    }


async def test_no_shape_of_a_body_holds_the_loop(stage: Stage) -> None:
    """The check is one for all routes: one route of each size and each kind of credential stands for the others."""
    costs, seen = Costs(stage.world), set[tuple[int, bool, bool]]()
    for endpoint in stage.world.app.endpoints:
        route, entry = endpoint.route, ROUTES[endpoint.route.name]
        kind = (route.limit, entry.who == "nobody", endpoint.body is None)
        if not route.writes or "upload" in endpoint.wants or kind in seen:
            continue
        seen.add(kind)
        path = path_of(route.name, stage.things[entry.about])
        smaller = sound_and_unsound(route.limit // 2)
        for name, body in sound_and_unsound(route.limit).items():
            call = Call(route.method, path, headers=stage.headers(entry.who), body=body)
            await costs.of(f"{route.name} {name}", call, partial(msgspec.structs.replace, call, body=smaller[name]))
    assert not costs.faults and len(seen) >= 4


@pytest.mark.parametrize("capability", CAPABILITIES)
async def test_no_path_and_no_query_holds_the_loop(stage: Stage, capability: str) -> None:
    costs = Costs(stage.world)
    for endpoint in endpoints(stage.world, capability):
        route, entry = endpoint.route, ROUTES[endpoint.route.name]
        body = b"" if entry.body is None else msgspec.json.encode(entry.body)
        headers, path = stage.headers(entry.who), path_of(route.name, stage.things[entry.about])
        for repeat in REPEATS if route.parameters() else ():
            named = quote(filled(repeat, URL_ROOM), safe="/")[: URL_ROOM // 9 * 9]
            call = Call(route.method, path_of(route.name, named), headers=headers, body=body)
            await costs.of(f"{route.name} path {repeat!r}", call)
        for place, most in attack.places(endpoint.query) if endpoint.query else ():
            for repeat in REPEATS:
                query = attack.query_with(entry.query, str(place[0]), repeat, most, URL_ROOM)
                call = Call(route.method, path, query, headers, body)
                await costs.of(f"{route.name} ?{place[0]} {repeat!r}", call)
        for query in (b"&".join([b"a=b"] * 1500), b"&".join(b"%d" % n for n in range(1500)), b"=&" * 3000, b"%" * 6000):
            await costs.of(f"{route.name} {query[:20]!r}", Call(route.method, path, query, headers, body))
    assert not costs.faults


async def test_no_header_holds_the_loop(stage: Stage) -> None:
    """Every one that is looked at anywhere, on routes that between them look at all."""
    costs, note = Costs(stage.world), stage.things["note"]
    calls = [
        Call("GET", "/api/branding"), Call("GET", "/api/metrics"), Call("GET", f"/api/notes/{note}"),
        Call("GET", f"/api/repo-obj/{stage.things['object']}/content"), Call("GET", "/api/audit"),
        Call("PUT", f"/api/notes/{note}", body=b'{"title": "Plan"}'), Call("POST", "/api/notes", body=b'{"title": "Plan"}'),
        Call("PUT", "/api/repo/plans/c.txt", body=b"text"), Call("OPTIONS", "/a-bucket/key"),
    ]  # fmt: skip
    names = attack.headers_read()
    assert {"range", "if-match", "host", "accept"} <= set(names), "how headers are read has changed: look for it anew"
    for name, (number, call) in itertools.product(names, enumerate(calls)):
        for repeat in some([*REPEATS, "bytes=0-1,", 'W/"1",', "q=0.1,", "127.0.0.1,", "a.", "0"], number, 10):
            text = filled(repeat, HEADER_ROOM).encode()[:HEADER_ROOM].replace(b"\n", b" ")
            given = [header for header in stage.headers() if header[0] != name.encode()]
            headers = [*given, (name.encode(), text)]
            await costs.of(
                f"{call.method} {call.path} {name} {repeat!r}", msgspec.structs.replace(call, headers=headers)
            )
    many = [*stage.headers(), *[(b"x", b"")] * HEADER_ROOM]
    await costs.of("many headers", Call("GET", f"/api/notes/{note}", headers=many))
    assert not costs.faults


async def test_no_upload_holds_the_loop(stage: Stage) -> None:
    costs = Costs(stage.world)
    for number, repeat in enumerate(REPEATS):
        body = filled(repeat, BODY).encode()[:BODY]
        headers = stage.headers("ann", (b"content-type", (b"text/markdown", b"text/plain", b"image/png")[number % 3]))
        call = Call("PUT", f"/api/repo/uploads/{number}.md", headers=headers, body=body)
        await costs.of(f"upload {repeat!r}", call)
    await costs.of(
        "tiny chunks", Call("PUT", "/api/repo/tiny", headers=stage.headers(), body=bytes(BODY // 8), chunk=64)
    )
    assert not costs.faults


async def test_no_search_holds_the_loop_whatever_it_finds(stage: Stage) -> None:
    """Twelve notes of one sign that stands for eighteen took fourteen seconds to show."""
    costs, headers = Costs(stage.world), stage.headers()
    for repeat in ("\ufdfa", "漢", "a\u0300\u0316"):
        for number in range(3):
            body = attack.body_with({"title": f"{repeat}{number}"}, ("body",), repeat, 60_000, BODY)
            await costs.of("write", Call("POST", "/api/notes", headers=headers, body=body))
        for q in (repeat, filled(repeat, 256), filled(f"{repeat} ", 256), filled(f'"{repeat}" ', 256)):
            query = f"q={quote(q)}&limit=100".encode()
            await costs.of(f"search {q[:10]!r}", Call("GET", "/api/search", query, headers))
    assert not costs.faults


PICTURES = {
    "PNG": (b"\x89PNG\r\n\x1a\n", struct.pack(">I4sI", 0, b"IDAT", zlib.crc32(b"IDAT")), b""),
    "JPEG": (b"\xff\xd8", b"\xff\xe0\x00\x02", b"\xff\xd9"),
    "JPEG of fillings": (b"\xff\xd8", b"\xff", b""),
    "JPEG of scans": (b"\xff\xd8", b"\xff\xda\x00\x02", b""),
    "WebP": (b"RIFF" + struct.pack("<I", 512 * 1024 - 8) + b"WEBP", b"abcd\x00\x00\x00\x00", b""),
}


@pytest.mark.parametrize("picture", PICTURES)
async def test_no_picture_holds_the_loop(stage: Stage, picture: str) -> None:
    """As many parts as fit."""
    costs, (begin, part, end) = Costs(stage.world), PICTURES[picture]
    data = begin + part * ((512 * 1024 - len(begin) - len(end)) // len(part)) + end
    body = msgspec.json.encode({"data": base64.b64encode(data).decode()})
    await costs.of(picture, Call("POST", "/api/branding/logo", headers=stage.headers(), body=body))
    assert not costs.faults


# The S3 path


class Signed(NamedTuple):
    bucket: str
    credentials: Credentials

    def call(
        self, method: str, path: str, query: dict[str, str], headers: dict[str, str], body: bytes = b"",
        digest: str = "UNSIGNED-PAYLOAD",
    ) -> Call:  # fmt: skip
        text = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in query.items())
        request = AWSRequest(method, f"http://teamspace.test{quote(path, safe='/')}?{text}")
        request.headers["X-Amz-Content-SHA256"] = digest
        request.headers["Host"] = "teamspace.test"
        for name, value in headers.items():
            request.headers[name] = value
        signer = S3SigV4Auth(self.credentials, "s3", "auto")
        signer.payload = lambda _request: digest
        signer.add_auth(request)
        url = urlsplit(request.url)
        sent = [(name.lower().encode(), value.encode()) for name, value in request.headers.items()]
        return Call(method, url.path, url.query.encode(), [*sent, (b"content-length", b"%d" % len(body))], body)


@pytest.fixture
async def signed(stage: Stage) -> Signed:
    ann = Caller(stage.world, stage.tokens["ann"])
    made = (await ann.post("/api/s3/credentials", {})).json()
    return Signed(made["bucket"], Credentials(made["access_key_id"], made["secret_access_key"]))


def target(operation: Operation, bucket: str) -> tuple[str, dict[str, str]]:
    path = {
        ResourceLevel.SERVICE: "/",
        ResourceLevel.BUCKET: f"/{bucket}",
        ResourceLevel.OBJECT: f"/{bucket}/plans/a.txt",
    }[operation.level]
    values = {"partNumber": "1", "list-type": "2"}
    return path, {name: values.get(name, "") for name in operation.query.split()}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
async def test_no_s3_request_holds_the_loop(stage: Stage, signed: Signed, operation: Operation) -> None:
    costs, (path, query) = Costs(stage.world), target(operation, signed.bucket)
    source = {"x-amz-copy-source": f"/{signed.bucket}/plans/a.txt"} if operation.copies else {}
    body = b"text" if S3_OPERATIONS[operation.name] == BYTES else b""
    repeats = itertools.cycle(REPEATS)
    status = await costs.of(operation.name, signed.call(operation.method, path, query, source, body))
    assert status != 403 and status != 501, "the entry's own request is not taken"
    for name in attack.s3_parameters_read():
        value = quote(filled(next(repeats), URL_ROOM), safe="")[: URL_ROOM // 3]
        call = signed.call(operation.method, path, {**query, name: value}, source, body)
        await costs.of(f"{operation.name} ?{name}", call)
    for name in attack.s3_headers_read():
        text = filled(next(repeats), HEADER_ROOM // 4).replace("\n", " ").encode()[:HEADER_ROOM].decode("latin-1")
        call = signed.call(
            operation.method, path, query, {**source, name: text.encode("ascii", "ignore").decode()}, body
        )
        await costs.of(f"{operation.name} {name}", call)
    for repeat in REPEATS if operation.level is ResourceLevel.OBJECT else ():
        key = filled(repeat, URL_ROOM // len(quote(repeat, safe="/")) * len(repeat)).replace("\n", " ")
        call = signed.call(operation.method, f"/{signed.bucket}/{key}", query, source, body)
        await costs.of(f"{operation.name} key {repeat!r}", call)
    assert not costs.faults


_ROOTS = {
    "DeleteObjects": "Delete", "PutObjectTagging": "Tagging", "CompleteMultipartUpload": "CompleteMultipartUpload",
    "PutBucketVersioning": "VersioningConfiguration", "PutBucketAcl": "AccessControlPolicy",
    "PutObjectAcl": "AccessControlPolicy", "CreateBucket": "CreateBucketConfiguration",
}  # fmt: skip


@pytest.mark.parametrize(
    "operation", [each for each in OPERATIONS if S3_OPERATIONS[each.name] == XML], ids=lambda each: each.name
)
async def test_no_xml_holds_the_loop(stage: Stage, signed: Signed, operation: Operation) -> None:
    costs, (path, query), root = Costs(stage.world), target(operation, signed.bucket), _ROOTS[operation.name]
    shapes = {
        "text": "a", "escapes": "&amp;", "nest": "<a>", "elements": "<a/>", "objects": "<Object><Key>a</Key></Object>",
        "parts": "<Part><PartNumber>1</PartNumber><ETag>a</ETag></Part>", "tags": "<Tag><Key>a</Key><Value/></Tag>",
        "comments": "<!---->", "entities": "&a;", "quotes": '"', "long names": "<" + "a" * 1000 + "/>",
    }  # fmt: skip
    number = OPERATIONS.index(operation)
    for name in shapes if root == "Delete" else some(list(shapes), number, 4):
        repeat = shapes[name]
        text = f"<{root}>{filled(repeat, MAX_XML - 100) if len(repeat) == 1 else repeat * ((MAX_XML - 100) // len(repeat))}</{root}>"
        await costs.of(f"{operation.name} {name}", signed.call(operation.method, path, query, {}, text.encode()))
    assert not costs.faults


FRAMES = {
    "one byte each": (b"1\r\na\r\n", b"0\r\n\r\n"),
    "a long head": (b"1" * 500, b""),
    "no end of a line": (b"a", b""),
    "long trailers": (b"0\r\n" + b"a:b\n" * 1000, b""),
    "64 KiB each": (b"10000\r\n" + bytes(65536) + b"\r\n", b"0\r\n\r\n"),
}


@pytest.mark.parametrize("frame", FRAMES)
async def test_no_frames_of_a_body_hold_the_loop(stage: Stage, signed: Signed, frame: str) -> None:
    costs, (repeat, end) = Costs(stage.world), FRAMES[frame]
    body = repeat * (BODY // len(repeat)) + end
    digest = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
    headers = {"x-amz-decoded-content-length": str(BODY), "content-encoding": "aws-chunked"}
    for path, query in (
        (f"/{signed.bucket}/framed", {}),
        (f"/{signed.bucket}/framed", {"partNumber": "1", "uploadId": "x"}),
    ):
        await costs.of(frame, signed.call("PUT", path, query, headers, body, digest))
    assert not costs.faults


# Jobs

LEFT = "SELECT COUNT(*) FROM jobs WHERE :what IN (kind, id) AND state IN ('queued', 'running')"


async def over(world: World, what: str) -> None:
    """Waits until the job is over, or no job of the kind is left, with as little of the loop's time as can be."""
    async with asyncio.timeout(60):
        while await world.db.one(int, LEFT, what=what):  # noqa: ASYNC110 - nobody tells when the last one is over
            await asyncio.sleep(0.1)


async def worst_chat(world: World, ann: Caller) -> float:
    for executor in (await ann.get("/api/executors")).json()["items"]:
        await ann.delete(f"/api/executors/{executor['id']}")  # else the job waits for its worker
    body = {"kind": "ai.chat", "input": {"prompt": filled("\ufdfa[simulate:", 20_000)}}
    job = (await ann.post("/api/jobs", body)).json()
    return await spent(over(world, job["id"]))


async def worst_extraction(world: World, ann: Caller) -> float:
    """150 KB of Markdown hung the server again at every restart."""
    dearest = 0.0
    for number, repeat in enumerate(("a_", "\ufdfa")):
        await put(ann, f"{number}.md", filled(repeat, 150_000).encode(), content_type="text/markdown")
        dearest = max(dearest, await spent(over(world, "repo.extract_text")))
    return dearest


async def nothing_of_people(world: World, ann: Caller) -> float:
    """Takes the id of an object, and reads bytes through for their digest."""
    return 0.0


JOBS = {"ai.chat": worst_chat, "repo.extract_text": worst_extraction, "repo.hash_parts": nothing_of_people}


@pytest.mark.parametrize("kind", JOBS)
async def test_no_job_holds_the_loop(stage: Stage, kind: str) -> None:
    ann = Caller(stage.world, stage.tokens["ann"])
    async with running(stage.world):
        assert await JOBS[kind](stage.world, ann) < LIMIT
