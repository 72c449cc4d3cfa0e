"""Hostile texts, and the fields of a request that take them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import inspect

import teamspace

ROOT = Path(teamspace.__file__).parent
LOOK_ALIKES = "4@8({[<3691!|70$5+7%2"
REPEATS = (
    '\\"', "\\", "_", "a_", "*", "[", "[](", "> ", '"', "|", "a", "a\n", "a\u0300\u0316", "\ufdfa", "漢", "½ ", LOOK_ALIKES,
    "%", "<", "../", ", ", "; ", "=", "[a](b 'c",
)  # fmt: skip
"""Repeated until a field is full: Markdown and JSON syntax, combining marks, characters that expand,
scripts without spaces, look-alikes, nested quotes, long lines and many short ones."""

FieldPath = tuple[str | int, ...]


def fill(repeat: str, size: int) -> str:
    return (repeat * (size // len(repeat) + 1))[:size]


def text_fields(struct: type[msgspec.Struct]) -> Iterator[tuple[FieldPath, int | None]]:
    """Every text field of a struct and its maximum length; `...` stands for any key."""
    yield from _text_fields(inspect.type_info(struct), ())


def _text_fields(kind: inspect.Type, path: FieldPath) -> Iterator[tuple[FieldPath, int | None]]:
    if isinstance(kind, inspect.StructType):
        for field in kind.fields:
            yield from _text_fields(field.type, (*path, field.encode_name))
    elif isinstance(kind, inspect.UnionType):
        for each in kind.types:
            yield from _text_fields(each, path)
    elif isinstance(kind, inspect.ListType | inspect.VarTupleType | inspect.SetType):
        yield from _text_fields(kind.item_type, (*path, 0))
    elif isinstance(kind, inspect.DictType):
        yield (*path, "..."), None
    elif isinstance(kind, inspect.StrType):
        yield path, kind.max_length
    elif isinstance(kind, inspect.AnyType | inspect.RawType | inspect.EnumType | inspect.LiteralType):
        yield path, None


def put(base: Any, path: FieldPath, text: str) -> Any:
    """A copy with the text at the path; a list gets it as its only item."""
    if not path:
        return text
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        return [put(None, rest, text)]
    if step == "...":
        return {text: text}
    inner = base if isinstance(base, dict) else {}
    return {**inner, step: put(inner.get(step), rest, text)}


def body_with(
    base: dict[str, Any], path: FieldPath, repeat: str, max_length: int | None, limit: int, fraction: int = 1
) -> bytes:  # fmt: skip
    """The valid body with one text as long as field and route allow, or a fraction of that."""
    size, limit = min(max_length or limit, limit) // fraction, limit // fraction
    while len(body := msgspec.json.encode(put(base, path, fill(repeat, size)))) > limit:
        size = size * limit // len(body) - 1
    return body


def query_with(base: dict[str, str], name: str, repeat: str, max_length: int | None, limit: int) -> bytes:
    size = min(max_length or limit, limit)
    while len(text := _query({**base, name: fill(repeat, size)})) > limit:
        size = size * limit // len(text) - 1
    return text


def _query(values: dict[str, str]) -> bytes:
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in values.items()).encode()


def headers_read() -> list[str]:
    """Every header that the gate or a route reads."""
    return _names_in_source(
        r"""headers(?:\.get\(|\[)b"([a-z-]+)"|b"([a-z-]+)" in \w+\.headers|(?:_tags\(|name == )b"([a-z-]+)\"""", ROOT
    )


def s3_headers_read() -> list[str]:
    names = _names_in_source(r'"((?:x-amz|content|if|cache)-[a-z0-9-]+|range|expires)"', ROOT / "s3")
    return [name for name in names if name not in ("content-length", "x-amz-content-sha256", "x-amz-date")]


def s3_parameters_read() -> list[str]:
    return _names_in_source(
        r'query(?:\.get\(|\[)"([A-Za-z-]+)"|"([a-z]+-[a-z-]+|marker|prefix|delimiter)" in \w+\.query', ROOT / "s3"
    )


def _names_in_source(pattern: str, folder: Path) -> list[str]:
    found = {name for path in folder.rglob("*.py") for match in re.findall(pattern, path.read_text())
             for name in ([match] if isinstance(match, str) else match)}  # fmt: skip
    return sorted(found - {""})
