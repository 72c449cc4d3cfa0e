"""The CPU time of user text on the event loop: every input, filled to its limit with hostile text.

One request that blocks the loop blocks every tenant. So every text field of every route, S3 operation and kind of job
is filled with repeats that are slow for a careless parser, and the CPU time of the loop's thread is measured. Refused
requests count too: refusing must be cheap. Only on SQLite: both databases get the same text, and SQLite reads on the
loop, which makes it the stricter of the two.
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

from teamspace import localization, wiring
from teamspace.core.request import MAX_HEADER_BYTES, MAX_URL_BYTES
from teamspace.core.routing import Endpoint, Route
from teamspace.core.tables import JobSpec
from teamspace.localization.domain import drafting
from teamspace.s3.domain.operations import OPERATIONS, Operation, ResourceLevel
from teamspace.s3.domain.requests import MAX_XML
from teamspace.settings import Settings, load
from tests.ai.help import model_world
from tests.cost import attack
from tests.cost.attack import REPEATS, fill
from tests.cost.help import LIMIT, Call, Costs, cpu_seconds, every_nth, longest_step, measure_call
from tests.cost.table import BYTES, ROUTES, S3_OPERATIONS, XML
from tests.jobs.help import running
from tests.onboarding.help import document, published
from tests.onboarding.signing_up import sign_up
from tests.repository.help import put
from tests.support.world import Caller, World
from tests.support.world import world as open_world
from tests.triggers.help import add_trigger, publish

HOST_TOKEN = "the-host-of-the-tests"
URL_ROOM, HEADER_ROOM = MAX_URL_BYTES - 200, MAX_HEADER_BYTES - 1500
LARGE = 100_000
"""Texts of this size are processed in a thread, which takes time, so each such route gets only some of the repeats."""
BODY = 1024 * 1024


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    environment = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_SQLITE_SYNC": "normal", "SERVICE_RATE_TOKEN": "0", "SERVICE_WORKERS": "1",
             "SERVICE_RATE_ANONYMOUS": "0", "SERVICE_TRUSTED_PROXIES": "127.0.0.1"}  # fmt: skip
    return load(environment, file=tmp_path / "no.env")


@pytest.fixture
async def world(settings: Settings) -> AsyncIterator[World]:
    async with open_world(settings) as instance:
        instance.app.gate._provision_token = HOST_TOKEN
        yield instance


class Scenario(NamedTuple):
    world: World
    tokens: dict[str, str | None]
    ids: dict[str, str]

    def headers(self, who: str = "ann", *more: tuple[bytes, bytes]) -> list[tuple[bytes, bytes]]:
        token = self.tokens[who]
        credential = [(b"authorization", f"Bearer {token}".encode())] if token else []
        kind = [] if any(name == b"content-type" for name, _ in more) else [(b"content-type", b"application/json")]
        return [*credential, *kind, *more]


@pytest.fixture
async def scenario(world: World) -> Scenario:
    ann = await world.bootstrap()
    worker = await world.worker(ann.org, ann.team)
    note = (await ann.post("/api/notes", {"title": "Plan", "body": "Text"})).json()
    conversation = (await ann.post("/api/conversations", {"title": "Plan"})).json()
    document = (await ann.post("/api/documents", {"title": "Plan", "body": "Text"})).json()
    uploaded = await put(ann, "plans/a.txt", b"0123456789", content_type="text/plain")
    link = (await ann.post(f"/api/repo-obj/{uploaded['id']}/links", {})).json()
    job = (await ann.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "Hello"}})).json()
    published = await ann.post("/api/workflows", ROUTES["POST /api/workflows"].body)
    assert published.status_code == 201, published.text
    run = (await ann.post("/api/workflows/cost/run", {"input": {"text": "Hello"}})).json()
    await publish(ann)
    trigger = await add_trigger(ann)
    await localization.synchronise(world.db, {"en": {"notes": {"title": "Notes"}}, "de": {}})
    console_text = await world.db.one(str, "SELECT id FROM l10n_entries WHERE locale = 'de'") or ""
    tokens = {"ann": ann.token, "worker": worker.token, "anonymous": None, "host": HOST_TOKEN}
    ids = {"note": note["id"], "conversation": conversation["id"], "document": document["id"], "object": uploaded["id"], "link": link["url"].rpartition("/")[2], "job": job["id"],
              "workflow": "cost", "run": run["id"], "trigger": trigger["id"], "console_text": console_text,
              "org": ann.org.id, "nothing": "nothing", "page": "page", "key": "plans/b.txt", "": ""}  # fmt: skip
    return Scenario(world, tokens, ids)


def path_of(route: str, value: str) -> str:
    parts = route.split()[1].split("/")
    return "/".join(value if part[:1] in (":", "*") else part for part in parts)


# Completeness


def test_every_route_has_an_entry(world: World) -> None:
    assert {endpoint.route.name for endpoint in world.app.endpoints} == set(ROUTES)


def test_every_s3_operation_has_an_entry() -> None:
    assert {operation.name for operation in OPERATIONS} == set(S3_OPERATIONS)


def test_every_kind_of_job_has_an_entry() -> None:
    assert {row.kind for row in wiring.SHIPPED.rows(JobSpec)} == set(JOBS)


# Routes

PACKAGES = sorted({
    "plugins" if contribution.package.is_plugin else contribution.package.name.split(".")[1]
    for contribution in wiring.SHIPPED.contributions
    if Route in contribution.rows
})  # fmt: skip
OF_EACH_PACKAGE = pytest.mark.parametrize(
    "package",
    [pytest.param(name, marks=[pytest.mark.sampled(3), pytest.mark.about(name, "core")]) for name in PACKAGES],
)


def endpoints(world: World, package: str) -> list[Endpoint]:
    return [each for each in world.app.endpoints if each.handler.__module__.split(".")[1] == package]


@OF_EACH_PACKAGE
async def test_no_text_in_a_body_blocks_the_loop(scenario: Scenario, package: str) -> None:
    costs = Costs(scenario.world)
    for number, endpoint in enumerate(endpoints(scenario.world, package)):
        if endpoint.body is None:
            continue
        route, entry = endpoint.route, ROUTES[endpoint.route.name]
        path, base = path_of(route.name, scenario.ids[entry.about]), entry.body or {}

        call = partial(make_call, scenario, route, path, entry.who)
        status = await costs.measure(route.name, call(msgspec.json.encode(base)))
        assert entry.refused or status not in (400, 405, 415), f"{route.name}: the body of the entry is refused"
        for field, max_length in attack.text_fields(endpoint.body):
            large = min(max_length or route.limit, route.limit) >= LARGE
            for repeat in every_nth(REPEATS, number, 6) if large else REPEATS:
                make_body = partial(attack.body_with, base, field, repeat, max_length, route.limit)
                half = partial(_half, call, make_body)
                await costs.measure(f"{route.name} {field} {repeat!r}", call(make_body(1)), half)
    assert not costs.faults


def make_call(scenario: Scenario, route: Route, path: str, who: str, body: bytes) -> Call:
    return Call(route.method, path, headers=scenario.headers(who), body=body)


def _half(call: Callable[[bytes], Call], make_body: Callable[[int], bytes]) -> Call:
    return call(make_body(2))


def hostile_bodies(limit: int) -> dict[str, bytes]:
    """Bodies with a hostile structure."""
    shapes = {
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
        "one unknown key with pointers in it": (b'{"', b" - at `$.a", b'": 1}'),
        "equal keys": (b"{", b'"a": 1,', b'"a": 1}'),
        "spaces": (b"{", b" ", b"}"),
        "no UTF-8": (b'{"a": "', b"\xff", b'"}'),
    }
    return {
        name: begin + repeat * ((limit - len(begin) - len(end)) // len(repeat)) + end
        for name, (begin, repeat, end) in shapes.items()
    }


async def test_no_structure_of_a_body_blocks_the_loop(scenario: Scenario) -> None:
    """All routes share the check, so one route per size limit and kind of credential is enough."""
    costs, seen = Costs(scenario.world), set[tuple[int, bool, bool]]()
    for endpoint in scenario.world.app.endpoints:
        route, entry = endpoint.route, ROUTES[endpoint.route.name]
        kind = (route.limit, entry.who == "anonymous", endpoint.body is None)
        if not route.writes or "upload" in endpoint.wants or kind in seen:
            continue
        seen.add(kind)
        path = path_of(route.name, scenario.ids[entry.about])
        smaller = hostile_bodies(route.limit // 2)
        for name, body in hostile_bodies(route.limit).items():
            call = Call(route.method, path, headers=scenario.headers(entry.who), body=body)
            await costs.measure(
                f"{route.name} {name}", call, partial(msgspec.structs.replace, call, body=smaller[name])
            )
    assert not costs.faults and len(seen) >= 4


@OF_EACH_PACKAGE
async def test_no_path_or_query_blocks_the_loop(scenario: Scenario, package: str) -> None:
    costs = Costs(scenario.world)
    for endpoint in endpoints(scenario.world, package):
        route, entry = endpoint.route, ROUTES[endpoint.route.name]
        body = b"" if entry.body is None else msgspec.json.encode(entry.body)
        headers, path = scenario.headers(entry.who), path_of(route.name, scenario.ids[entry.about])
        for repeat in REPEATS if route.parameters() else ():
            value = quote(fill(repeat, URL_ROOM), safe="/")[: URL_ROOM // 9 * 9]
            call = Call(route.method, path_of(route.name, value), headers=headers, body=body)
            await costs.measure(f"{route.name} path {repeat!r}", call)
        for field, max_length in attack.text_fields(endpoint.query) if endpoint.query else ():
            for repeat in REPEATS:
                query = attack.query_with(entry.query, str(field[0]), repeat, max_length, URL_ROOM)
                call = Call(route.method, path, query, headers, body)
                await costs.measure(f"{route.name} ?{field[0]} {repeat!r}", call)
        for query in (b"&".join([b"a=b"] * 1500), b"&".join(b"%d" % n for n in range(1500)), b"=&" * 3000, b"%" * 6000):
            await costs.measure(f"{route.name} {query[:20]!r}", Call(route.method, path, query, headers, body))
    assert not costs.faults


async def test_no_header_blocks_the_loop(scenario: Scenario) -> None:
    """Every header that the code reads, on routes that together read them all."""
    costs, note = Costs(scenario.world), scenario.ids["note"]
    calls = [
        Call("GET", "/api/branding"), Call("GET", "/api/metrics"), Call("GET", f"/api/notes/{note}"),
        Call("GET", f"/api/repo-obj/{scenario.ids['object']}/content"), Call("GET", "/api/audit"),
        Call("PUT", f"/api/notes/{note}", body=b'{"title": "Plan"}'), Call("POST", "/api/notes", body=b'{"title": "Plan"}'),
        Call("PUT", "/api/repo/plans/c.txt", body=b"text"), Call("OPTIONS", "/a-bucket/key"),
    ]  # fmt: skip
    names = attack.headers_read()
    assert {"range", "if-match", "host", "accept"} <= set(names), (
        "the code reads headers in another way: update the pattern"
    )
    for name, (number, call) in itertools.product(names, enumerate(calls)):
        for repeat in every_nth([*REPEATS, "bytes=0-1,", 'W/"1",', "q=0.1,", "127.0.0.1,", "a.", "0"], number, 10):
            text = fill(repeat, HEADER_ROOM).encode()[:HEADER_ROOM].replace(b"\n", b" ")
            others = [header for header in scenario.headers() if header[0] != name.encode()]
            headers = [*others, (name.encode(), text)]
            await costs.measure(
                f"{call.method} {call.path} {name} {repeat!r}", msgspec.structs.replace(call, headers=headers)
            )
    many = [*scenario.headers(), *[(b"x", b"")] * HEADER_ROOM]
    await costs.measure("many headers", Call("GET", f"/api/notes/{note}", headers=many))
    assert not costs.faults


def image(size: int) -> dict[str, object]:
    return {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * size}}


IMAGES: dict[str, tuple[str, dict[str, object]]] = {
    "one": ("/api/ai/chat", {"prompt": [image(2_090_000)]}),
    "one of an agent": ("/api/agent", {"prompt": [image(2_090_000)]}),
    "one in a conversation": ("/api/ai/chat", {"prompt": [image(1_500_000)], "conversation_id": ""}),
    "many": ("/api/ai/chat", {"prompt": [image(10_000)] * 199}),
    "one in each message": (
        "/v1/chat/completions",
        {"model": "default", "messages": [{"role": "user", "content": [image(900)]}] * 1_900},
    ),
    "many tiny ones in each message": (
        "/api/ai/chat",
        {"prompt": "x", "messages": [{"role": "user", "content": [image(1)] * 5}] * 1_500},
    ),
}


@pytest.mark.parametrize("images", IMAGES)
async def test_no_images_block_the_loop(settings: Settings, images: str) -> None:
    """From the body to the job that stores them and to the model server."""
    path, body = IMAGES[images]
    async with model_world(settings) as (world, ann, server):
        if "conversation_id" in body:
            body["conversation_id"] = (await ann.post("/api/conversations", {})).json()["id"]
        headers = [(b"authorization", f"Bearer {ann.token}".encode()), (b"content-type", b"application/json")]
        call = Call("POST", path, headers=headers, body=msgspec.json.encode(body))
        # Step by step: the model server, which reads all of them, is in this thread too.
        longest, _ = await longest_step(measure_call(world, call))
        assert server.images
    assert longest < LIMIT


async def test_no_upload_blocks_the_loop(scenario: Scenario) -> None:
    costs = Costs(scenario.world)
    for number, repeat in enumerate(REPEATS):
        body = fill(repeat, BODY).encode()[:BODY]
        headers = scenario.headers(
            "ann", (b"content-type", (b"text/markdown", b"text/plain", b"image/png")[number % 3])
        )
        call = Call("PUT", f"/api/repo/uploads/{number}.md", headers=headers, body=body)
        await costs.measure(f"upload {repeat!r}", call)
    await costs.measure(
        "tiny chunks", Call("PUT", "/api/repo/tiny", headers=scenario.headers(), body=bytes(BODY // 8), chunk=64)
    )
    assert not costs.faults


async def test_no_text_of_a_version_blocks_the_loop(scenario: Scenario) -> None:
    costs, ann = Costs(scenario.world), Caller(scenario.world, scenario.tokens["ann"])
    for repeat in (b"a\n", b"\x81", b"\xff\xfe\x00\xd8", "\U0001f600".encode()):
        created = await put(ann, "long.txt", repeat * (BODY // len(repeat)), content_type="text/plain")
        path = f"/api/repo-obj/{created['id']}/content"
        status = await costs.measure(f"text {repeat!r}", Call("GET", path, b"as=text", scenario.headers()))
        assert status == 200
    assert not costs.faults


async def test_no_search_blocks_the_loop_whatever_it_finds(scenario: Scenario) -> None:
    """Twelve notes of a character that expands to eighteen once took 14 seconds to show."""
    costs, headers = Costs(scenario.world), scenario.headers()
    for repeat in ("\ufdfa", "漢", "a\u0300\u0316"):
        for number in range(3):
            body = attack.body_with({"title": f"{repeat}{number}"}, ("body",), repeat, 60_000, BODY)
            await costs.measure("write", Call("POST", "/api/notes", headers=headers, body=body))
        for q in (repeat, fill(repeat, 256), fill(f"{repeat} ", 256), fill(f'"{repeat}" ', 256)):
            query = f"q={quote(q)}&limit=100".encode()
            await costs.measure(f"search {q[:10]!r}", Call("GET", "/api/search", query, headers))
    assert not costs.faults


PICTURES = {
    "PNG": (b"\x89PNG\r\n\x1a\n", struct.pack(">I4sI", 0, b"IDAT", zlib.crc32(b"IDAT")), b""),
    "JPEG": (b"\xff\xd8", b"\xff\xe0\x00\x02", b"\xff\xd9"),
    "JPEG of fillings": (b"\xff\xd8", b"\xff", b""),
    "JPEG of scans": (b"\xff\xd8", b"\xff\xda\x00\x02", b""),
    "WebP": (b"RIFF" + struct.pack("<I", 512 * 1024 - 8) + b"WEBP", b"abcd\x00\x00\x00\x00", b""),
}


@pytest.mark.parametrize("picture", PICTURES)
async def test_no_picture_blocks_the_loop(scenario: Scenario, picture: str) -> None:
    """A picture with as many parts as fit."""
    costs, (begin, part, end) = Costs(scenario.world), PICTURES[picture]
    data = begin + part * ((512 * 1024 - len(begin) - len(end)) // len(part)) + end
    body = msgspec.json.encode({"data": base64.b64encode(data).decode()})
    await costs.measure(picture, Call("POST", "/api/branding/logo", headers=scenario.headers(), body=body))
    assert not costs.faults


# The S3 path


class S3Signer(NamedTuple):
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
        auth = S3SigV4Auth(self.credentials, "s3", "auto")
        auth.payload = lambda _request: digest
        auth.add_auth(request)
        url = urlsplit(request.url)
        lowered = [(name.lower().encode(), value.encode()) for name, value in request.headers.items()]
        return Call(method, url.path, url.query.encode(), [*lowered, (b"content-length", b"%d" % len(body))], body)


@pytest.fixture
async def signer(scenario: Scenario) -> S3Signer:
    ann = Caller(scenario.world, scenario.tokens["ann"])
    credential = (await ann.post("/api/s3/credentials", {})).json()
    return S3Signer(credential["bucket"], Credentials(credential["access_key_id"], credential["secret_access_key"]))


def target(operation: Operation, bucket: str) -> tuple[str, dict[str, str]]:
    path = {
        ResourceLevel.SERVICE: "/",
        ResourceLevel.BUCKET: f"/{bucket}",
        ResourceLevel.OBJECT: f"/{bucket}/plans/a.txt",
    }[operation.level]
    values = {"partNumber": "1", "list-type": "2"}
    return path, {name: values.get(name, "") for name in operation.query.split()}


@pytest.mark.sampled(3)
@pytest.mark.about("s3", "core")
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
async def test_no_s3_request_blocks_the_loop(scenario: Scenario, signer: S3Signer, operation: Operation) -> None:
    costs, (path, query) = Costs(scenario.world), target(operation, signer.bucket)
    source = {"x-amz-copy-source": f"/{signer.bucket}/plans/a.txt"} if operation.copies else {}
    body = b"text" if S3_OPERATIONS[operation.name] == BYTES else b""
    repeats = itertools.cycle(REPEATS)
    status = await costs.measure(operation.name, signer.call(operation.method, path, query, source, body))
    assert status != 403 and status != 501, "the request of the entry is refused"
    for name in attack.s3_parameters_read():
        value = quote(fill(next(repeats), URL_ROOM), safe="")[: URL_ROOM // 3]
        call = signer.call(operation.method, path, {**query, name: value}, source, body)
        await costs.measure(f"{operation.name} ?{name}", call)
    for name in attack.s3_headers_read():
        text = fill(next(repeats), HEADER_ROOM // 4).replace("\n", " ").encode()[:HEADER_ROOM].decode("latin-1")
        call = signer.call(
            operation.method, path, query, {**source, name: text.encode("ascii", "ignore").decode()}, body
        )
        await costs.measure(f"{operation.name} {name}", call)
    for repeat in REPEATS if operation.level is ResourceLevel.OBJECT else ():
        key = fill(repeat, URL_ROOM // len(quote(repeat, safe="/")) * len(repeat)).replace("\n", " ")
        call = signer.call(operation.method, f"/{signer.bucket}/{key}", query, source, body)
        await costs.measure(f"{operation.name} key {repeat!r}", call)
    assert not costs.faults


_ROOTS = {
    "DeleteObjects": "Delete", "PutObjectTagging": "Tagging", "CompleteMultipartUpload": "CompleteMultipartUpload",
    "PutBucketVersioning": "VersioningConfiguration", "PutBucketAcl": "AccessControlPolicy",
    "PutObjectAcl": "AccessControlPolicy", "CreateBucket": "CreateBucketConfiguration",
}  # fmt: skip


@pytest.mark.parametrize(
    "operation", [each for each in OPERATIONS if S3_OPERATIONS[each.name] == XML], ids=lambda each: each.name
)
async def test_no_xml_blocks_the_loop(scenario: Scenario, signer: S3Signer, operation: Operation) -> None:
    costs, (path, query), root = Costs(scenario.world), target(operation, signer.bucket), _ROOTS[operation.name]
    shapes = {
        "text": "a", "escapes": "&amp;", "nest": "<a>", "elements": "<a/>", "objects": "<Object><Key>a</Key></Object>",
        "parts": "<Part><PartNumber>1</PartNumber><ETag>a</ETag></Part>", "tags": "<Tag><Key>a</Key><Value/></Tag>",
        "comments": "<!---->", "entities": "&a;", "quotes": '"', "long names": "<" + "a" * 1000 + "/>",
    }  # fmt: skip
    number = OPERATIONS.index(operation)
    for name in shapes if root == "Delete" else every_nth(list(shapes), number, 4):
        repeat = shapes[name]
        text = f"<{root}>{fill(repeat, MAX_XML - 100) if len(repeat) == 1 else repeat * ((MAX_XML - 100) // len(repeat))}</{root}>"
        await costs.measure(f"{operation.name} {name}", signer.call(operation.method, path, query, {}, text.encode()))
    assert not costs.faults


FRAMES = {
    "one byte each": (b"1\r\na\r\n", b"0\r\n\r\n"),
    "a long head": (b"1" * 500, b""),
    "no end of a line": (b"a", b""),
    "long trailers": (b"0\r\n" + b"a:b\n" * 1000, b""),
    "64 KiB each": (b"10000\r\n" + bytes(65536) + b"\r\n", b"0\r\n\r\n"),
}


@pytest.mark.parametrize("frame", FRAMES)
async def test_no_chunked_encoding_of_a_body_blocks_the_loop(scenario: Scenario, signer: S3Signer, frame: str) -> None:
    costs, (repeat, end) = Costs(scenario.world), FRAMES[frame]
    body = repeat * (BODY // len(repeat)) + end
    digest = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
    headers = {"x-amz-decoded-content-length": str(BODY), "content-encoding": "aws-chunked"}
    for path, query in (
        (f"/{signer.bucket}/framed", {}),
        (f"/{signer.bucket}/framed", {"partNumber": "1", "uploadId": "x"}),
    ):
        await costs.measure(frame, signer.call("PUT", path, query, headers, body, digest))
    assert not costs.faults


# Jobs

UNFINISHED = "SELECT COUNT(*) FROM jobs WHERE :what IN (kind, id) AND state IN ('queued', 'running')"


async def wait_until_finished(world: World, what: str) -> None:
    """Waits until the job, or every job of the kind, has finished, using little time of the loop."""
    async with asyncio.timeout(60):
        while await world.db.one(int, UNFINISHED, what=what):  # noqa: ASYNC110 - there is no event for the last one
            await asyncio.sleep(0.1)


async def worst_chat(world: World, ann: Caller) -> float:
    for executor in (await ann.get("/api/executors")).json()["items"]:
        await ann.delete(f"/api/executors/{executor['id']}")  # otherwise the job waits for a worker
    body = {"kind": "ai.chat", "input": {"prompt": fill("\ufdfa[simulate:", 20_000)}}
    job = (await ann.post("/api/jobs", body)).json()
    return await cpu_seconds(wait_until_finished(world, job["id"]))


async def worst_words(world: World, ann: Caller) -> float:
    body = {"kind": "x.example-tools.word-count", "input": {"text": fill("a ", 200_000)}}
    job = (await ann.post("/api/jobs", body)).json()
    return await cpu_seconds(wait_until_finished(world, job["id"]))


async def worst_extraction(world: World, ann: Caller) -> float:
    """150 KB of Markdown once hung the server at every restart."""
    slowest = 0.0
    for number, repeat in enumerate(("a_", "\ufdfa")):
        await put(ann, f"{number}.md", fill(repeat, 150_000).encode(), content_type="text/markdown")
        slowest = max(slowest, await cpu_seconds(wait_until_finished(world, "repo.extract_text")))
    return slowest


async def worst_step(world: World, ann: Caller) -> float:
    """The arguments of a step are bound, and its result is stored: both can have megabytes."""
    spec = {
        "slug": "worst", "start": "one", "max_steps": 5, "inputs": {"words": {"type": "array"}},
        "steps": [{"id": "one", "kind": "tool", "tool": "word_count", "with": {"text": {"$ref": "input.words.0"}}},
                  {"id": "two", "kind": "choice", "when": {"contains": [{"$ref": "input.words"}, "x"]}, "then": "three", "else": "three"},
                  {"id": "three", "kind": "tool", "tool": "word_count", "with": {"text": {"$ref": "input.words.0"}}}],
    }  # fmt: skip
    assert (await ann.post("/api/workflows", spec)).status_code == 201
    input = {"words": [fill("a ", 190_000), *(["ab"] * 100_000)]}
    run = await ann.post("/api/workflows/worst/run", {"input": input})
    assert run.status_code == 202, run.text
    return await cpu_seconds(wait_until_finished(world, "workflow.step"))


async def worst_draft(world: World, ann: Caller) -> float:
    """The most messages of a job, each as long as a message can be."""
    sources = {f"key{number}": "{n, plural, one {x} other {y}} " * 320 for number in range(drafting.MAX_MESSAGES)}
    await localization.synchronise(world.db, {"en": {"worst": sources}, "de": {}})
    answer = await ann.post("/api/l10n/draft", {"locale": "de"})
    assert answer.status_code == 202 and answer.json()["queued"] == len(sources), answer.text
    return await cpu_seconds(wait_until_finished(world, drafting.KIND))


async def worst_judgement(world: World, ann: Caller) -> float:
    """The longest criteria, and a form as large as a sign-up can be."""
    fields = [{"name": f"f{number}", "type": "textarea", "label": {"en": "Text"}} for number in range(12)]
    await published(ann, document("Join us", *fields, judge_prompt=fill("\ufdfa", 10_000)))
    await sign_up(world, **{str(field["name"]): fill("a ", 5_000) for field in fields})
    return await cpu_seconds(wait_until_finished(world, "beta.judge"))


async def no_user_text(world: World, ann: Caller) -> float:
    """The job hashes the bytes of an object, or a remote worker does it."""
    return 0.0


async def in_its_route(world: World, ann: Caller) -> float:
    """The job starts in the request for it, whose texts are attacked as a route's."""
    return 0.0


async def worst_conversation(world: World, ann: Caller) -> float:
    conversation = (await ann.post("/api/conversations", {})).json()["id"]
    for repeat in ("a_", "\ufdfa"):
        body = {"prompt": fill(repeat, 150_000), "conversation_id": conversation}
        assert (await ann.post("/api/ai/chat", body)).status_code == 200
    return await cpu_seconds(wait_until_finished(world, "conversation.index"))


JOBS = {
    "ai.chat": worst_chat, "ai.turn": in_its_route, "ai.agent": in_its_route, "conversation.index": worst_conversation,
    "beta.judge": worst_judgement, "l10n.draft": worst_draft,
    "mcp.call": in_its_route, "workflow.step": worst_step,
    "repo.extract_text": worst_extraction, "repo.hash_parts": no_user_text,
    "x.example-tools.word-count": worst_words, "x.integrator-demo.lane-report": no_user_text,
}  # fmt: skip


@pytest.mark.parametrize("kind", JOBS)
async def test_no_job_blocks_the_loop(scenario: Scenario, kind: str) -> None:
    ann = Caller(scenario.world, scenario.tokens["ann"])
    async with running(scenario.world):
        assert await JOBS[kind](scenario.world, ann) < LIMIT
