"""Any key and any bytes are read back unchanged, and every key is listed once by every API."""

import random
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from tests.s3.help import Bucket, Person, list_all, refused

SEED, THREADS = 11, 8
FEW, MANY = 250, 1000
MAX_SIZE = 100 * 1024
MAX_KEY = 1024
UNUSUAL = (
    " ", "a b", "  two", "+", "a+b", "%", "100%", "%2F", "%00", "%zz", "%25", "a%20b", "//", "/", "/lead", "trail/",
    "a//b", "'", '"', "it's", "&", "&amp;", "a&b=c", "<", ">", "<b>", "]]>", "?", "?versionId=x", "#", "#frag", "\\", "a\\b",
    ";", ":", "@", "=", "$", "!", "*", "(", ")", ",", "~", "^", "`", "|", "{}", "[]", ".hidden", "...", "a.", "..a",
    "ü", "u\u0308", "é", "e\u0301", "ﬁ", "Å", "\u212b", "ñ", "日本語", "한국어", "עברית", "\u202eabc", "\u200b", "\ufeff", "🎉",
    "👩‍👩‍👧", "𝒳", "\U0010ffff", "\ud7ff", "\ue000", "\uffff", "ß", "İ", "\u0085", "\u2028", "\u00a0", "README", "readme", "Readme",
)  # fmt: skip
"""Keys, and parts of longer keys."""
REFUSED = (
    ".", "..", "a/./b", "a/../b", "../up", "./here", "a/..", "a/.", "nul\x00", "a\nb", "a\tb", "\x1f", "del\x7f",
)  # fmt: skip


def unusual_keys(rng: random.Random) -> Iterator[str]:
    """Keys with unusual characters, lengths and normal forms."""
    yield from UNUSUAL
    yield from ("x" * MAX_KEY, "ü" * (MAX_KEY // 2), "🎉" * (MAX_KEY // 4), "/" * MAX_KEY)
    while True:
        key = "".join(rng.choice(UNUSUAL) for _ in range(rng.randint(2, 12)))
        yield from (key, key.swapcase(), unicodedata.normalize("NFC", key), unicodedata.normalize("NFD", key))


def random_objects(rng: random.Random, count: int) -> dict[str, bytes]:
    objects: dict[str, bytes] = {}
    for key in unusual_keys(rng):
        if len(key.encode()) <= MAX_KEY and not {".", ".."} & set(key.split("/")):
            objects[key] = rng.randbytes(rng.choice((0, 1, 100, rng.randint(0, MAX_SIZE))))
        if len(objects) == count:
            return objects
    raise AssertionError


def in_threads(do: Callable[[str], Any], keys: Mapping[str, bytes]) -> dict[str, Any]:
    with ThreadPoolExecutor(THREADS) as threads:
        return dict(zip(keys, threads.map(do, keys), strict=True))


@pytest.fixture(scope="module")
def objects(thorough: bool) -> dict[str, bytes]:
    return random_objects(random.Random(SEED), MANY if thorough else FEW)


@pytest.fixture
def bucket(owner: Person) -> Bucket:
    return owner.bucket(max_pool_connections=THREADS)


def test_unusual_keys_and_random_bytes_are_read_back_unchanged(
    owner: Person, bucket: Bucket, objects: dict[str, bytes]
) -> None:
    in_threads(lambda key: bucket.put_object(key, Body=objects[key]), objects)
    assert in_threads(bucket.read, objects) == objects
    sorted_keys = sorted(objects, key=str.encode)
    assert bucket.keys(PaginationConfig={"PageSize": 97}) == sorted_keys
    assert bucket.keys("list_objects", PaginationConfig={"PageSize": 89}) == sorted_keys
    listed = {item["key"]: item["size"] for item in list_all(owner)}
    assert listed == {key: len(data) for key, data in objects.items()}


def test_folders_with_unusual_names_are_listed_once_with_any_page_size(bucket: Bucket) -> None:
    keys = [f"{folder}/{name}" for folder in ("a b", "a+b", "ü", "u\u0308", "a&<", "\\", "") for name in ("1", "2")]
    in_threads(partial(bucket.put_object, Body=b""), dict.fromkeys(keys, b""))
    expected = sorted({f"{key.partition('/')[0]}/" for key in keys}, key=str.encode)
    for operation in ("list_objects_v2", "list_objects"):
        for size in (1, 3, 1000):
            pages = bucket.client.get_paginator(operation).paginate(
                Bucket=bucket.name, Delimiter="/", PaginationConfig={"PageSize": size}
            )
            assert [item["Prefix"] for page in pages for item in page.get("CommonPrefixes", [])] == expected


def test_invalid_keys_are_refused(bucket: Bucket) -> None:
    bucket.put_object("source", Body=b"x")
    for key in REFUSED:
        for write in (
            partial(bucket.put_object, key, Body=b"x"),
            partial(bucket.create_multipart_upload, key),
            partial(bucket.copy_object, key, CopySource={"Bucket": bucket.name, "Key": "source"}),
        ):
            assert refused(write) == (400, "InvalidArgument"), key
    assert bucket.keys() == ["source"]
    assert len(bucket.versions()) == 1


def test_a_key_that_is_too_long_is_refused(bucket: Bucket) -> None:
    assert refused(partial(bucket.put_object, "ü" * 512 + "x", Body=b"x")) == (400, "KeyTooLongError")
