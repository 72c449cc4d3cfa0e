"""Random requests, signed by botocore and then half of them tampered with: the verdict is known beforehand.

    python -m tests.s3.fuzz --requests 100000 --seed 1

Beside them plain garbage as credentials, queries and chunks, to which there is no answer but a refusal.
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
from tests.s3.frames import FRAMED, PAIRS, TRAILER, frames, payload
from tests.s3.signed import (
    ID,
    LIFE,
    NOW,
    by_header,
    by_old_query,
    by_query,
    cut,
    header,
    replaced,
    verified,
    with_headers,
)

SLOWEST = 0.1
SIGNERS: dict[str, Callable[..., RawRequest]] = {"header": by_header, "query": by_query, "old query": by_old_query}
METHODS = ("GET", "HEAD", "PUT", "POST", "DELETE")
HOSTILE = (
    " ", "+", "%", "%2F", "//", "/./", "/../", "..", "é", "日本", "\U0001f600", "&", "=", "?", "#", ";", ",", "'", '"', "<",
    "~", "*", "(", ")", "!", "@", "$", ":", "\\", "|", "\x7f", "\x01", "a", "Z", "0", "-", "_", ".", "/",
)  # fmt: skip
NAMES = ("prefix", "delimiter", "list-type", "marker", "a b", "é", "A", "x-id", "uploads", "partNumber", "", "a=b", "&")
OLD_NAMES = ("versionId", "uploads", "partNumber", "uploadId", "response-content-type", "response-content-disposition")
HEADERS = ("x-amz-meta-a", "x-amz-meta-b", "x-amz-acl", "content-type", "cache-control", "range", "if-match")
PRINTABLE = string.ascii_letters + string.digits + "-_.~!*'(),;:@&=+$/?#[]<>|"


class Case(msgspec.Struct, frozen=True):
    """A request, when it arrives, and what must come of it: nothing, or the code of a refusal ('*' for any)."""

    what: str
    asked: RawRequest
    path: str
    expected: str = ""
    now: float = NOW


class Report(msgspec.Struct):
    """What was met, and what took longest: by the clock, and by the processor, which other processes do not slow down."""

    seen: Counter[str]
    slowest: tuple[float, str] = (0.0, "")
    dearest: tuple[float, str] = (0.0, "")

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        began, spent = time.perf_counter(), time.thread_time()
        yield
        self.seen[what] += 1
        self.slowest = max(self.slowest, (time.perf_counter() - began, what))
        self.dearest = max(self.dearest, (time.thread_time() - spent, what))


async def run(requests: int, seed: int) -> Report:
    """Every verdict as expected, or an AssertionError that names the request."""
    chance, report = random.Random(seed), Report(Counter())
    for _ in range(requests):
        case = tampered(chance, signed(chance)) if chance.random() < 0.5 else signed(chance)
        await _check(case, report)
        if chance.random() < 0.2:
            await _check(garbage(chance), report)
        if chance.random() < 0.2:
            await _check_chunks(chance, report)
    return report


async def _check(case: Case, report: Report) -> None:
    code, path = "", case.path
    with report.timed(case.what):
        try:
            path = (await verified(case.asked, case.now)).path
        except S3Error as fault:
            code = fault.code
            assert fault.status >= 400
    assert code == case.expected or (code and case.expected == "*"), (code, case)
    assert path == case.path, (path, case)


# Honest requests


def signed(chance: random.Random) -> Case:
    mode = chance.choice(list(SIGNERS))
    path = "/" + "".join(chance.choices(HOSTILE, k=chance.randrange(12)))
    pairs = _pairs(chance, OLD_NAMES if mode == "old query" else NAMES, repeated=mode == "header")
    target = quote(path, safe="/") + ("?" + "&".join(_written(chance, *pair) for pair in pairs) if pairs else "")
    headers = [(chance.choice(HEADERS), _value(chance)) for _ in range(chance.randrange(5))]
    if mode == "old query":  # which signs one content type, and repeats in the link a header given once
        headers = list({name: (name, value.strip()) for name, value in headers}.values())
    asked = SIGNERS[mode](chance.choice(METHODS), target, headers)
    two_values = len(dict(pairs)) < len(set(pairs))
    return Case(f"{mode}, honest", asked, path, "InvalidArgument" if two_values else "")


def _pairs(chance: random.Random, names: tuple[str, ...], *, repeated: bool) -> list[tuple[str, str]]:
    pairs = [
        (chance.choice(names), "".join(chance.choices(HOSTILE, k=chance.randrange(4))))
        for _ in range(chance.randrange(5))
    ]
    pairs = [pair for pair in pairs if any(pair)]
    if repeated:
        return pairs + [pair for pair in pairs if chance.random() < 0.2]
    return list(dict(pairs).items())


def _written(chance: random.Random, name: str, value: str) -> str:
    bare = not value and name and chance.random() < 0.5
    return quote(name, safe="") + ("" if bare else f"={quote(value, safe='')}")


def _value(chance: random.Random) -> str:
    words = ("".join(chance.choices(PRINTABLE, k=chance.randrange(1, 9))) for _ in range(chance.randrange(1, 4)))
    return chance.choice(("", " ", "\t  ")) + chance.choice((" ", "  ", " \t ")).join(words) + chance.choice(("", "  "))


# What is done to them on the way


def tampered(chance: random.Random, case: Case) -> Case:
    mode = case.what.partition(",")[0]
    change, expected = chance.choice([*HARMLESS, *HARMFUL]), "*"
    other = change(chance, case.asked)
    if change in HARMLESS:
        expected = case.expected
    elif other == case.asked:
        return case
    now = case.now
    if change is late:
        now += (
            chance.choice((-1, 1)) * chance.uniform(1000, 10**7)
            if mode == "header"
            else LIFE + chance.uniform(1, 10**7)
        )
    return Case(f"{mode}, {change.__name__}", other, case.path, expected, now)


def turned_query(chance: random.Random, asked: RawRequest) -> RawRequest:
    parts = asked.query.split(b"&")
    chance.shuffle(parts)
    return _with_query(asked, b"&".join(parts))


def plus_for_space(chance: random.Random, asked: RawRequest) -> RawRequest:
    return _with_query(asked, asked.query.replace(b"%20", b"+"))


def empty_parameters(chance: random.Random, asked: RawRequest) -> RawRequest:
    return _with_query(asked, b"&" + asked.query.replace(b"&", b"&&") + b"&")


def small_percent_codes(chance: random.Random, asked: RawRequest) -> RawRequest:
    return _with_query(
        asked, b"%".join(part[:2].lower() + part[2:] if i else part for i, part in enumerate(asked.query.split(b"%")))
    )


def more_headers(chance: random.Random, asked: RawRequest) -> RawRequest:
    """Those that nobody signs."""
    extra = [(b"user-agent", b"x"), (b"expect", b"100-continue"), (b"x-forwarded-for", b"::1"), (b"te", b"\xff")]
    headers = [*asked.headers, *chance.sample(extra, 2)]
    chance.shuffle(headers)
    order = {id(pair): place for place, pair in enumerate(asked.headers)}
    # The order of one header's repetitions is part of what is signed.
    return with_headers(asked, sorted(headers, key=lambda pair: (pair[0], order.get(id(pair), 0))))


def another_method(chance: random.Random, asked: RawRequest) -> RawRequest:
    return msgspec.structs.replace(
        asked, method=chance.choice([method for method in METHODS if method != asked.method])
    )


def another_path(chance: random.Random, asked: RawRequest) -> RawRequest:
    place = chance.randrange(1, len(asked.path) + 1)
    added = chance.choice((b"a", b"/", b"%2F", b"%00", b".", b"%20"))
    return msgspec.structs.replace(asked, path=asked.path[:place] + added + asked.path[place:])


def collapsed_path(chance: random.Random, asked: RawRequest) -> RawRequest:
    path = asked.path.replace(b"//", b"/").replace(b"/./", b"/").replace(b"/../", b"/")
    return msgspec.structs.replace(asked, path=path)


def encoded_twice(chance: random.Random, asked: RawRequest) -> RawRequest:
    return msgspec.structs.replace(asked, path=asked.path.replace(b"%", b"%25"))


def more_query(chance: random.Random, asked: RawRequest) -> RawRequest:
    extra = chance.choice((b"acl", b"prefix=zz", b"versionId=zz", b"x-amz-acl=zz", b"zz=1", b"=", b"X-Amz-Expires=9"))
    return _with_query(asked, asked.query + b"&" + extra)


def less_query(chance: random.Random, asked: RawRequest) -> RawRequest:
    """One parameter less, but not one that an old link merely repeats from the headers."""
    parts = asked.query.split(b"&")
    places = [place for place, part in enumerate(parts) if part and not part.startswith((b"x-amz-", b"content-type"))]
    if places:
        del parts[chance.choice(places)]
    return _with_query(asked, b"&".join(parts))


def unsigned_orders(chance: random.Random, asked: RawRequest) -> RawRequest:
    name = chance.choice((b"x-amz-copy-source", b"x-amz-tagging", b"x-amz-storage-class", b"x-amz-"))
    return with_headers(asked, [*asked.headers, (name, b"zz")])


def doubled_header(chance: random.Random, asked: RawRequest) -> RawRequest:
    names = [name for name, _ in asked.headers if name in _signed_names(asked)]
    return with_headers(asked, [*asked.headers, (chance.choice(names), b"zz")]) if names else asked


def dropped_header(chance: random.Random, asked: RawRequest) -> RawRequest:
    places = [
        place for place, (name, value) in enumerate(asked.headers) if name in _signed_names(asked) and value.strip()
    ]
    if not places:
        return asked
    place = chance.choice(places)
    return with_headers(asked, [*asked.headers[:place], *asked.headers[place + 1 :]])


def changed_signature(chance: random.Random, asked: RawRequest) -> RawRequest:
    if asked.query and b"ignature=" in asked.query:
        head, _, tail = asked.query.partition(b"ignature=")
        return _with_query(asked, head + b"ignature=" + _flipped(chance, tail))
    text, _, given = header(asked, b"authorization").rpartition(b"=")
    return replaced(asked, b"authorization", text + b"=" + _flipped(chance, given))


def another_scope(chance: random.Random, asked: RawRequest) -> RawRequest:
    changes = ("auto", "us-east-1"), ("/s3/", "/sts/"), ("20260504/", "20260503/"), (ID, "TSX")
    old, new = chance.choice(changes)
    if b"authorization" in dict(asked.headers):
        changed = header(asked, b"authorization").replace(old.encode(), new.encode())
        return replaced(asked, b"authorization", changed)
    return _with_query(asked, asked.query.replace(quote(old, safe="").encode(), quote(new, safe="").encode()))


def late(chance: random.Random, asked: RawRequest) -> RawRequest:
    return msgspec.structs.replace(asked, headers=[*asked.headers, (b"accept", b"*/*")])


def two_ways(chance: random.Random, asked: RawRequest) -> RawRequest:
    other = chance.choice((by_query, by_old_query))("GET", "/")
    if b"authorization" in dict(asked.headers):
        return _with_query(asked, asked.query + b"&" + other.query)
    return with_headers(asked, [*asked.headers, (b"authorization", header(by_header("GET", "/"), b"authorization"))])


Change = Callable[[random.Random, RawRequest], RawRequest]
HARMLESS: list[Change] = [turned_query, plus_for_space, empty_parameters, small_percent_codes, more_headers]
HARMFUL: list[Change] = [
    another_method, another_path, collapsed_path, encoded_twice, more_query, less_query, unsigned_orders, doubled_header,
    dropped_header, changed_signature, another_scope, late, two_ways,
]  # fmt: skip


def _with_query(asked: RawRequest, query: bytes) -> RawRequest:
    return msgspec.structs.replace(asked, query=query)


def _flipped(chance: random.Random, text: bytes) -> bytes:
    place = chance.randrange(20)
    return text[:place] + (b"0" if text[place : place + 1] != b"0" else b"1") + text[place + 1 :]


def _signed_names(asked: RawRequest) -> set[bytes]:
    if b"AWSAccessKeyId" in asked.query:
        return {b"content-type"} | {name for name, _ in asked.headers if name.startswith(b"x-amz-")}
    if b"X-Amz-SignedHeaders" in asked.query:
        return set(asked.query.partition(b"X-Amz-SignedHeaders=")[2].partition(b"&")[0].split(b"%3B"))
    return set(header(asked, b"authorization").partition(b"SignedHeaders=")[2].partition(b",")[0].split(b";"))


# Garbage


def garbage(chance: random.Random) -> Case:
    """Bytes of any kind where credentials are looked for, some of them nearly right."""
    noise = chance.randbytes(chance.randrange(60))
    honest = by_header("GET", "/a")
    if chance.random() < 0.5:
        start = chance.choice(
            (b"", b"AWS ", b"AWS4-HMAC-SHA256 ", b"AWS4-HMAC-SHA256 Credential=", honest.headers[-1][1][:99])
        )
        asked = replaced(honest, b"authorization", start + noise)
    else:
        query = b"&".join(
            name + b"=" + chance.choice((noise, ID.encode(), b"1", quote(noise).encode())) for name in _LINK
        )
        asked = RawRequest(
            "GET", chance.choice((b"/", b"", b"/" + noise)), query, [(b"host", b"h"), (noise or b"a", noise)]
        )
    return Case("garbage", asked, asked.path.decode("latin-1"), "*")


_LINK = (
    b"X-Amz-Algorithm", b"X-Amz-Credential", b"X-Amz-Date", b"X-Amz-Expires", b"X-Amz-SignedHeaders", b"X-Amz-Signature",
)  # fmt: skip


async def _check_chunks(chance: random.Random, report: Report) -> None:
    """Chunks with something torn out, put in or changed: the same bytes and trailers come out, or a refusal."""
    kind = chance.choice(FRAMED)
    chunks = [chance.randbytes(chance.randrange(1, 40)) for _ in range(chance.randrange(4))]
    trailers = [(TRAILER, "AAAAAA==")]
    data = b"".join(frames(kind, chunks, trailers))
    place, size = chance.randrange(len(data)), chance.randrange(6)
    torn = data[:place] + chance.randbytes(chance.randrange(4)) + data[place + size :]
    pieces = cut(torn, [chance.randrange(30) for _ in range(5)])
    given: dict[str, str] = {}
    whole = None
    with report.timed("chunks"):
        try:
            whole = b"".join([piece async for piece in decode(pieces, payload(kind), None, given)])
        except S3Error as fault:
            assert fault.status >= 400
    if whole is not None and kind is not PayloadKind.UNSIGNED_CHUNKS_TRAILER:
        assert hashlib.sha256(whole).digest() == hashlib.sha256(b"".join(chunks)).digest(), (torn, data)
        assert given == (dict(PAIRS) if kind is PayloadKind.SIGNED_CHUNKS_TRAILER else {}), (torn, data)


def main() -> None:
    reader = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    reader.add_argument("--requests", type=int, default=100_000)
    reader.add_argument("--seed", type=int, default=1)
    options = reader.parse_args()
    report = asyncio.run(run(options.requests, options.seed))
    for what, count in sorted(report.seen.items()):
        print(f"{count:8} {what}")
    print(f"{report.seen.total():8} in all")
    for what, (seconds, case) in (("by the clock", report.slowest), ("by the processor", report.dearest)):
        print(f"{seconds * 1000:8.2f} ms the slowest {what}: {case}")
    assert report.slowest[0] < SLOWEST, "one took too long"


if __name__ == "__main__":
    main()
