"""The format of catalog files: what is written is read, what is broken is named, edits merge."""

import contextlib
import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from teamspace.core import clock
from teamspace.core.errors import BadRequest
from teamspace.core.messages import catalogs
from teamspace.localization.domain import codec
from teamspace.localization.domain.codec import Mark

NAMESPACES = st.from_regex(r"[A-Za-z0-9_-]{1,20}", fullmatch=True)
KEYS = st.from_regex(r"[!-~]{1,20}", fullmatch=True)
TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=50
).filter(lambda text: bool(text.strip()))  # fmt: skip
HASHES = st.from_regex(r"[0-9a-f]{16}", fullmatch=True)
MARKS = st.builds(
    Mark, HASHES, st.sampled_from(["human", "machine", "import"]), st.none() | TEXTS,
    st.none() | st.integers(0, 1_700_000_000).map(clock.stamp), st.none() | HASHES,
)  # fmt: skip


@settings(max_examples=60)
@given(st.dictionaries(NAMESPACES, st.dictionaries(KEYS, TEXTS, min_size=1)))
def test_what_is_written_is_read_and_written_again_alike(catalog: dict[str, dict[str, str]]) -> None:
    body = codec.encode_catalog(catalog)
    read = codec.decode_catalog("de.json", body)
    assert codec.to_catalog(read) == catalog == json.loads(body)
    assert codec.encode_catalog(codec.to_catalog(reversed(read))) == body
    lines = body.decode().split("\n")
    assert all(json.dumps(message.text, ensure_ascii=False) in lines[message.line - 1] for message in read)


@settings(max_examples=60)
@given(st.dictionaries(KEYS, MARKS))
def test_marks_are_read_as_written_one_line_each(marks: dict[str, Mark]) -> None:
    body = codec.encode_marks(marks)
    assert codec.decode_marks(".meta/de.json", body) == marks
    assert codec.encode_marks(dict(reversed(marks.items()))) == body
    assert body.count(b"\n") == (len(marks) + 2 if marks else 1)


def test_the_shipped_catalogs_are_in_this_format() -> None:
    folder = Path(codec.__file__).parents[2] / "catalogs"
    for locale, messages in catalogs().items():
        assert codec.encode_catalog(messages) == (folder / f"{locale}.json").read_bytes()


def test_space_order_line_ends_and_a_byte_order_mark_do_not_matter() -> None:
    body = b'\xef\xbb\xbf\r\n { "b" :{"y":"\\u00fc", "x" : "1"},\r\n"a":{ } }\r\n'
    assert [(each.name, each.text, each.line) for each in codec.decode_catalog("de.json", body)] == [
        ("b.y", "ü", 2),
        ("b.x", "1", 2),
    ]


BROKEN = {
    "nothing": (b"", "file_syntax", 1, "{"),
    "a list": (b"[]", "file_syntax", 1, "{"),
    "a comma missing": (b'{"a": {\n"x": "1"\n"y": "2"}}', "file_syntax", 3, "a.x"),
    "a comma too many": (b'{"a": {\n"x": "1",\n}}', "file_syntax", 3, "a.x"),
    "a number": (b'{"a": {\n"x": "1",\n\n"y": 2}}', "file_syntax", 4, "a.y"),
    "an open text": (b'{"a": {\n"x": "1\n"}}', "file_syntax", 2, "a.x"),
    "a bad escape": (b'{"a": {\n"x": "\\q"}}', "file_syntax", 2, "a.x"),
    "cut off": (b'{"a": {\n"x": "1"', "file_syntax", 2, "a.x"),
    "something after the end": (b'{"a": {"x": "1"}}\n{}', "file_syntax", 2, "a.x"),
    "a conflict of git": (b'{"a": {\n<<<<<<< HEAD\n"x": "1"}}', "file_syntax", 2, "a"),
    "a message without namespace": (b'{"a": "1"}', "file_syntax", 1, "a"),
    "a nested namespace": (b'{"a": {"b": {"x": "1"}}}', "file_syntax", 1, "a.b"),
    "a key twice": (b'{"a": {\n"x": "1",\n"x": "1"}}', "file_duplicate", 3, "a.x"),
    "a namespace twice": (b'{"a": {\n"x": "1"},\n"a": {"y": "1"}}', "file_duplicate", 3, "a"),
    "a namespace with a dot": (b'{"a.b": {\n"x": "1"}}', "file_name", 2, "a.b.x"),
    "an empty key": (b'{"a": {\n"": "1"}}', "file_name", 2, "a."),
    "a blank text": (b'{"a": {\n"x": " "}}', "file_text", 2, "a.x"),
    "a zero byte": (b'{"a": {\n"x": "1\\u0000"}}', "file_text", 2, "a.x"),
    "half a character": (b'{"a": {\n"x": "\\ud800"}}', "file_text", 2, "a.x"),
    "a long text": (b'{"a": {\n"x": "%s"}}' % (b"x" * 10_001), "file_text", 2, "a.x"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_broken_is_refused_with_file_line_and_key(case: str) -> None:
    body, key, line, name = BROKEN[case]
    with pytest.raises(BadRequest) as caught:
        codec.decode_catalog("de.json", body)
    params = caught.value.params
    assert (caught.value.key, params["line"], params["name"]) == (f"localization.{key}", line, name)
    assert str(caught.value).startswith(f"de.json, line {line}")


def test_other_encodings_are_refused_with_the_line() -> None:
    with pytest.raises(BadRequest) as caught:
        codec.decode_catalog("de.json", '{"a":\n{"x": "ü"}}'.encode("latin-1"))
    assert (caught.value.key, caught.value.params["line"]) == ("localization.file_encoding", 2)


@pytest.mark.parametrize(
    "mark",
    [
        '{"o": "human"}',
        '{"h": "0123456789abcdef"}',
        '{"h": "xyz", "o": "human"}',
        '{"h": "0123456789abcdef", "o": "robot"}',
        '{"h": "0123456789abcdef", "o": "human", "at": "yesterday"}',
        '{"h": "0123456789abcdef", "o": "human", "at": "2025-02-30T00:00:00.000Z"}',
        '{"h": "0123456789abcdef", "o": "human", "at": "9999-01-01T00:00:00.000Z"}',
        '{"h": "0123456789abcdef", "o": "human", "x": "1"}',
    ],
)
def test_an_invalid_mark_is_refused_with_its_line(mark: str) -> None:
    with pytest.raises(BadRequest) as caught:
        codec.decode_marks(".meta/de.json", f'{{\n"a.x": {mark}}}'.encode())
    assert (caught.value.key, caught.value.params["line"], caught.value.params["name"]) == (
        "localization.file_mark", 2, "a.x",
    )  # fmt: skip


def test_edits_of_different_messages_merge_in_git(tmp_path: Path) -> None:
    base = {"a": {f"k{number}": f"text {number}" for number in range(10)}}
    mine = {"a": base["a"] | {"k1": "mine"}}
    theirs = {"a": base["a"] | {"k8": "theirs"}, "b": {"new": "theirs"}}
    for name, catalog in (("base", base), ("mine", mine), ("theirs", theirs)):
        (tmp_path / name).write_bytes(codec.encode_catalog(catalog))
    merged = subprocess.run(
        ["git", "merge-file", "-p", "mine", "base", "theirs"], cwd=tmp_path, capture_output=True, check=False
    )
    assert merged.returncode == 0
    both = {"a": base["a"] | {"k1": "mine", "k8": "theirs"}, "b": {"new": "theirs"}}
    assert codec.to_catalog(codec.decode_catalog("de.json", merged.stdout)) == both


WORST: dict[str, Callable[[int], bytes]] = {
    "lines": lambda size: b"\n" * size,
    "spaces": lambda size: b'{"a": {' + b" " * size,
    "namespaces": lambda size: b"{" + b",".join(b'"%d":{}' % number for number in range(size // 10)) + b"}",
    "one text": lambda size: b'{"a": {"x": "%s"}}' % (b"x" * size),
    "escapes": lambda size: b'{"a": {"x": "%s"}}' % (b"\\u0041" * (size // 6)),
    "depth": lambda size: b'{"a":' * (size // 5),
    "short messages": lambda size: b'{"a":{' + b",".join(b'"%d":"x"' % number for number in range(size // 11)) + b"}}",
}


@pytest.mark.parametrize("shape", WORST)
def test_the_cost_of_a_file_is_linear(shape: str) -> None:
    def seconds(size: int) -> float:
        body = WORST[shape](size)
        begun = time.thread_time()
        with contextlib.suppress(BadRequest):
            codec.decode_catalog("de.json", body)
        return time.thread_time() - begun

    whole = seconds(2_000_000)
    assert whole < 0.5 or whole < 3 * seconds(1_000_000)


def test_a_file_of_200_000_messages_is_read_and_more_are_refused() -> None:
    most = {"a": {f"key.{number}": "text {n}" for number in range(codec.MAX_MESSAGES)}}
    assert len(codec.decode_catalog("de.json", codec.encode_catalog(most))) == codec.MAX_MESSAGES
    with pytest.raises(BadRequest) as caught:
        codec.decode_catalog("de.json", codec.encode_catalog({**most, "b": {"x": "1"}}))
    assert caught.value.key == "localization.file_messages"
    with pytest.raises(BadRequest) as caught:
        codec.decode_catalog("de.json", b"\n" * (codec.MAX_BYTES + 1))
    assert caught.value.key == "localization.file_size"
