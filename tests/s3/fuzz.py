"""Random requests, signed by botocore, half of them modified afterwards: the expected verdict is known.

    python -m tests.s3.fuzz --requests 100000 --seed 1

Also random bytes as credentials, queries and chunks, which must be refused.
"""

import argparse
import asyncio
import hashlib
import random
import string
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import quote

import msgspec

from teamspace.s3.domain.canonical import RawRequest
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.payload import PayloadKind, decode
from tests.s3.frames import CHUNKED_KINDS, TRAILER, TRAILERS, frames, payload
from tests.s3.signed import (
    EXPIRES,
    ID,
    NOW,
    by_header,
    by_query,
    by_v2_query,
    header,
    replaced,
    split,
    verified,
    with_headers,
)

MAX_SECONDS = 0.1
SIGNERS: dict[str, Callable[..., RawRequest]] = {"header": by_header, "query": by_query, "v2 query": by_v2_query}
METHODS = ("GET", "HEAD", "PUT", "POST", "DELETE")
HOSTILE = (
    " ", "+", "%", "%2F", "//", "/./", "/../", "..", "é", "日本", "\U0001f600", "&", "=", "?", "#", ";", ",", "'", '"', "<",
    "~", "*", "(", ")", "!", "@", "$", ":", "\\", "|", "\x7f", "\x01", "a", "Z", "0", "-", "_", ".", "/",
)  # fmt: skip
NAMES = ("prefix", "delimiter", "list-type", "marker", "a b", "é", "A", "x-id", "uploads", "partNumber", "", "a=b", "&")
V2_NAMES = ("versionId", "uploads", "partNumber", "uploadId", "response-content-type", "response-content-disposition")
HEADERS = ("x-amz-meta-a", "x-amz-meta-b", "x-amz-acl", "content-type", "cache-control", "range", "if-match")
PRINTABLE = string.ascii_letters + string.digits + "-_.~!*'(),;:@&=+$/?#[]<>|"


class Case(msgspec.Struct, frozen=True):
    """A request, its time of arrival, and the expected error code ('' for none, '*' for any)."""

    name: str
    request: RawRequest
    path: str
    expected: str = ""
    now: float = NOW


class Report(msgspec.Struct):
    """Number of cases by name, and the slowest by wall time and by CPU time."""

    counts: Counter[str]
    slowest: tuple[float, str] = (0.0, "")
    slowest_cpu: tuple[float, str] = (0.0, "")

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.thread_time()
        yield
        self.counts[name] += 1
        self.slowest = max(self.slowest, (time.perf_counter() - wall, name))
        self.slowest_cpu = max(self.slowest_cpu, (time.thread_time() - cpu, name))


async def run(requests: int, seed: int) -> Report:
    """Check random requests; raise an AssertionError that shows the request."""
    rng, report = random.Random(seed), Report(Counter())
    for _ in range(requests):
        case = tampered(rng, signed_case(rng)) if rng.random() < 0.5 else signed_case(rng)
        await _check(case, report)
        if rng.random() < 0.2:
            await _check(garbage(rng), report)
        if rng.random() < 0.2:
            await _check_chunks(rng, report)
    return report


async def _check(case: Case, report: Report) -> None:
    code, path = "", case.path
    with report.timed(case.name):
        try:
            path = (await verified(case.request, case.now)).path
        except S3Error as error:
            code = error.code
            assert error.status >= 400
    assert code == case.expected or (code and case.expected == "*"), (code, case)
    assert path == case.path, (path, case)


# Valid requests


def signed_case(rng: random.Random) -> Case:
    mode = rng.choice(list(SIGNERS))
    path = "/" + "".join(rng.choices(HOSTILE, k=rng.randrange(12)))
    pairs = _pairs(rng, V2_NAMES if mode == "v2 query" else NAMES, repeated=mode == "header")
    target = quote(path, safe="/") + ("?" + "&".join(_encoded(rng, *pair) for pair in pairs) if pairs else "")
    headers = [(rng.choice(HEADERS), _value(rng)) for _ in range(rng.randrange(5))]
    if mode == "v2 query":  # signs one content type, and repeats headers in the link
        headers = list({name: (name, value.strip()) for name, value in headers}.values())
    request = SIGNERS[mode](rng.choice(METHODS), target, headers)
    two_values = len(dict(pairs)) < len(set(pairs))
    return Case(f"{mode}, valid", request, path, "InvalidArgument" if two_values else "")


def _pairs(rng: random.Random, names: tuple[str, ...], *, repeated: bool) -> list[tuple[str, str]]:
    pairs = [(rng.choice(names), "".join(rng.choices(HOSTILE, k=rng.randrange(4)))) for _ in range(rng.randrange(5))]
    pairs = [pair for pair in pairs if any(pair)]
    if repeated:
        return pairs + [pair for pair in pairs if rng.random() < 0.2]
    return list(dict(pairs).items())


def _encoded(rng: random.Random, name: str, value: str) -> str:
    bare = not value and name and rng.random() < 0.5
    return quote(name, safe="") + ("" if bare else f"={quote(value, safe='')}")


def _value(rng: random.Random) -> str:
    words = ("".join(rng.choices(PRINTABLE, k=rng.randrange(1, 9))) for _ in range(rng.randrange(1, 4)))
    return rng.choice(("", " ", "\t  ")) + rng.choice((" ", "  ", " \t ")).join(words) + rng.choice(("", "  "))


# Modifications


def tampered(rng: random.Random, case: Case) -> Case:
    mode = case.name.partition(",")[0]
    change, expected = rng.choice([*HARMLESS, *HARMFUL]), "*"
    other = change(rng, case.request)
    if change in HARMLESS:
        expected = case.expected
    elif other == case.request:
        return case
    now = case.now
    if change is expired:
        now += rng.choice((-1, 1)) * rng.uniform(1000, 10**7) if mode == "header" else EXPIRES + rng.uniform(1, 10**7)
    return Case(f"{mode}, {change.__name__}", other, case.path, expected, now)


def reordered_query(rng: random.Random, request: RawRequest) -> RawRequest:
    parts = request.query.split(b"&")
    rng.shuffle(parts)
    return _with_query(request, b"&".join(parts))


def plus_for_space(rng: random.Random, request: RawRequest) -> RawRequest:
    return _with_query(request, request.query.replace(b"%20", b"+"))


def empty_parameters(rng: random.Random, request: RawRequest) -> RawRequest:
    return _with_query(request, b"&" + request.query.replace(b"&", b"&&") + b"&")


def lowercase_percent_codes(rng: random.Random, request: RawRequest) -> RawRequest:
    return _with_query(
        request,
        b"%".join(part[:2].lower() + part[2:] if i else part for i, part in enumerate(request.query.split(b"%"))),
    )


def unsigned_headers(rng: random.Random, request: RawRequest) -> RawRequest:
    """Add headers that are never signed."""
    extra = [(b"user-agent", b"x"), (b"expect", b"100-continue"), (b"x-forwarded-for", b"::1"), (b"te", b"\xff")]
    headers = [*request.headers, *rng.sample(extra, 2)]
    rng.shuffle(headers)
    order = {id(pair): index for index, pair in enumerate(request.headers)}
    # The order of repeated headers is signed.
    return with_headers(request, sorted(headers, key=lambda pair: (pair[0], order.get(id(pair), 0))))


def another_method(rng: random.Random, request: RawRequest) -> RawRequest:
    return msgspec.structs.replace(
        request, method=rng.choice([method for method in METHODS if method != request.method])
    )


def another_path(rng: random.Random, request: RawRequest) -> RawRequest:
    index = rng.randrange(1, len(request.path) + 1)
    added = rng.choice((b"a", b"/", b"%2F", b"%00", b".", b"%20"))
    return msgspec.structs.replace(request, path=request.path[:index] + added + request.path[index:])


def collapsed_path(rng: random.Random, request: RawRequest) -> RawRequest:
    path = request.path.replace(b"//", b"/").replace(b"/./", b"/").replace(b"/../", b"/")
    return msgspec.structs.replace(request, path=path)


def encoded_twice(rng: random.Random, request: RawRequest) -> RawRequest:
    return msgspec.structs.replace(request, path=request.path.replace(b"%", b"%25"))


def more_query(rng: random.Random, request: RawRequest) -> RawRequest:
    extra = rng.choice((b"acl", b"prefix=zz", b"versionId=zz", b"x-amz-acl=zz", b"zz=1", b"=", b"X-Amz-Expires=9"))
    return _with_query(request, request.query + b"&" + extra)


def less_query(rng: random.Random, request: RawRequest) -> RawRequest:
    """Drop a parameter, except those that a v2 link repeats from the headers."""
    parts = request.query.split(b"&")
    indexes = [index for index, part in enumerate(parts) if part and not part.startswith((b"x-amz-", b"content-type"))]
    if indexes:
        del parts[rng.choice(indexes)]
    return _with_query(request, b"&".join(parts))


def unsigned_amz_headers(rng: random.Random, request: RawRequest) -> RawRequest:
    name = rng.choice((b"x-amz-copy-source", b"x-amz-tagging", b"x-amz-storage-class", b"x-amz-"))
    return with_headers(request, [*request.headers, (name, b"zz")])


def repeated_header(rng: random.Random, request: RawRequest) -> RawRequest:
    names = [name for name, _ in request.headers if name in _signed_names(request)]
    return with_headers(request, [*request.headers, (rng.choice(names), b"zz")]) if names else request


def dropped_header(rng: random.Random, request: RawRequest) -> RawRequest:
    indexes = [
        index for index, (name, value) in enumerate(request.headers) if name in _signed_names(request) and value.strip()
    ]
    if not indexes:
        return request
    index = rng.choice(indexes)
    return with_headers(request, [*request.headers[:index], *request.headers[index + 1 :]])


def changed_signature(rng: random.Random, request: RawRequest) -> RawRequest:
    if request.query and b"ignature=" in request.query:
        head, _, tail = request.query.partition(b"ignature=")
        return _with_query(request, head + b"ignature=" + _flipped(rng, tail))
    text, _, signature = header(request, b"authorization").rpartition(b"=")
    return replaced(request, b"authorization", text + b"=" + _flipped(rng, signature))


def another_scope(rng: random.Random, request: RawRequest) -> RawRequest:
    changes = ("auto", "us-east-1"), ("/s3/", "/sts/"), ("20260504/", "20260503/"), (ID, "TSX")
    old, new = rng.choice(changes)
    if b"authorization" in dict(request.headers):
        changed = header(request, b"authorization").replace(old.encode(), new.encode())
        return replaced(request, b"authorization", changed)
    return _with_query(request, request.query.replace(quote(old, safe="").encode(), quote(new, safe="").encode()))


def expired(rng: random.Random, request: RawRequest) -> RawRequest:
    return msgspec.structs.replace(request, headers=[*request.headers, (b"accept", b"*/*")])


def two_credentials(rng: random.Random, request: RawRequest) -> RawRequest:
    other = rng.choice((by_query, by_v2_query))("GET", "/")
    if b"authorization" in dict(request.headers):
        return _with_query(request, request.query + b"&" + other.query)
    return with_headers(
        request, [*request.headers, (b"authorization", header(by_header("GET", "/"), b"authorization"))]
    )


Change = Callable[[random.Random, RawRequest], RawRequest]
HARMLESS: list[Change] = [reordered_query, plus_for_space, empty_parameters, lowercase_percent_codes, unsigned_headers]
HARMFUL: list[Change] = [
    another_method, another_path, collapsed_path, encoded_twice, more_query, less_query, unsigned_amz_headers, repeated_header,
    dropped_header, changed_signature, another_scope, expired, two_credentials,
]  # fmt: skip


def _with_query(request: RawRequest, query: bytes) -> RawRequest:
    return msgspec.structs.replace(request, query=query)


def _flipped(rng: random.Random, text: bytes) -> bytes:
    index = rng.randrange(20)
    return text[:index] + (b"0" if text[index : index + 1] != b"0" else b"1") + text[index + 1 :]


def _signed_names(request: RawRequest) -> set[bytes]:
    if b"AWSAccessKeyId" in request.query:
        return {b"content-type"} | {name for name, _ in request.headers if name.startswith(b"x-amz-")}
    if b"X-Amz-SignedHeaders" in request.query:
        return set(request.query.partition(b"X-Amz-SignedHeaders=")[2].partition(b"&")[0].split(b"%3B"))
    return set(header(request, b"authorization").partition(b"SignedHeaders=")[2].partition(b",")[0].split(b";"))


# Garbage


def garbage(rng: random.Random) -> Case:
    """Random bytes as credentials, some of them almost valid."""
    noise = rng.randbytes(rng.randrange(60))
    valid = by_header("GET", "/a")
    if rng.random() < 0.5:
        start = rng.choice(
            (b"", b"AWS ", b"AWS4-HMAC-SHA256 ", b"AWS4-HMAC-SHA256 Credential=", valid.headers[-1][1][:99])
        )
        request = replaced(valid, b"authorization", start + noise)
    else:
        query = b"&".join(name + b"=" + rng.choice((noise, ID.encode(), b"1", quote(noise).encode())) for name in _LINK)
        request = RawRequest(
            "GET", rng.choice((b"/", b"", b"/" + noise)), query, [(b"host", b"h"), (noise or b"a", noise)]
        )
    return Case("garbage", request, request.path.decode("latin-1"), "*")


_LINK = (
    b"X-Amz-Algorithm", b"X-Amz-Credential", b"X-Amz-Date", b"X-Amz-Expires", b"X-Amz-SignedHeaders", b"X-Amz-Signature",
)  # fmt: skip


async def _check_chunks(rng: random.Random, report: Report) -> None:
    """Corrupted chunks: the result is the same bytes and trailers, or an error."""
    kind = rng.choice(CHUNKED_KINDS)
    chunks = [rng.randbytes(rng.randrange(1, 40)) for _ in range(rng.randrange(4))]
    trailers = [(TRAILER, "AAAAAA==")]
    data = b"".join(frames(kind, chunks, trailers))
    index, size = rng.randrange(len(data)), rng.randrange(6)
    corrupted = data[:index] + rng.randbytes(rng.randrange(4)) + data[index + size :]
    stream = split(corrupted, [rng.randrange(30) for _ in range(5)])
    trailers_read: dict[str, str] = {}
    whole = None
    with report.timed("chunks"):
        try:
            whole = b"".join([chunk async for chunk in decode(stream, payload(kind), None, trailers_read)])
        except S3Error as error:
            assert error.status >= 400
    if whole is not None and kind is not PayloadKind.UNSIGNED_CHUNKS_TRAILER:
        assert hashlib.sha256(whole).digest() == hashlib.sha256(b"".join(chunks)).digest(), (corrupted, data)
        assert trailers_read == (dict(TRAILERS) if kind is PayloadKind.SIGNED_CHUNKS_TRAILER else {}), (corrupted, data)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    report = asyncio.run(run(options.requests, options.seed))
    for name, count in sorted(report.counts.items()):
        print(f"{count:8} {name}")
    print(f"{report.counts.total():8} total")
    for measure, (seconds, name) in (("wall time", report.slowest), ("CPU time", report.slowest_cpu)):
        print(f"{seconds * 1000:8.2f} ms {measure} of the slowest: {name}")
    assert report.slowest[0] < MAX_SECONDS, "a request took too long"


if __name__ == "__main__":
    main()
