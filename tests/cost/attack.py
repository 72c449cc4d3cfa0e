"""The worst texts, and where in a request they fit."""

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
"""What is repeated until a field is full: marks of Markdown and JSON, marks on letters, signs that become many,
scripts without spaces, signs that could be letters, quotes in quotes, long lines and many short ones."""

Place = tuple[str | int, ...]


def filled(repeat: str, size: int) -> str:
    return (repeat * (size // len(repeat) + 1))[:size]


def places(shape: type[msgspec.Struct]) -> Iterator[tuple[Place, int | None]]:
    """Every text in a shape, and how long it may be; `...` stands for a key that may be any."""
    yield from _places(inspect.type_info(shape), ())


def _places(kind: inspect.Type, at: Place) -> Iterator[tuple[Place, int | None]]:
    if isinstance(kind, inspect.StructType):
        for field in kind.fields:
            yield from _places(field.type, (*at, field.encode_name))
    elif isinstance(kind, inspect.UnionType):
        for each in kind.types:
            yield from _places(each, at)
    elif isinstance(kind, inspect.ListType | inspect.VarTupleType | inspect.SetType):
        yield from _places(kind.item_type, (*at, 0))
    elif isinstance(kind, inspect.DictType):
        yield (*at, "..."), None
    elif isinstance(kind, inspect.StrType):
        yield at, kind.max_length
    elif isinstance(kind, inspect.AnyType | inspect.RawType | inspect.EnumType | inspect.LiteralType):
        yield at, None


def put(base: Any, place: Place, text: str) -> Any:
    """The same with the text in its place; of a list it is the only item."""
    if not place:
        return text
    step, rest = place[0], place[1:]
    if isinstance(step, int):
        return [put(None, rest, text)]
    if step == "...":
        return {text: text}
    inner = base if isinstance(base, dict) else {}
    return {**inner, step: put(inner.get(step), rest, text)}


def body_with(
    base: dict[str, Any], place: Place, repeat: str, most: int | None, limit: int, share: int = 1
) -> bytes:  # fmt: skip
    """The sound body with one text as long as both the field and the route take it, or a share of that."""
    size, limit = min(most or limit, limit) // share, limit // share
    while len(body := msgspec.json.encode(put(base, place, filled(repeat, size)))) > limit:
        size = size * limit // len(body) - 1
    return body


def query_with(base: dict[str, str], name: str, repeat: str, most: int | None, limit: int) -> bytes:
    size = min(most or limit, limit)
    while len(text := _query({**base, name: filled(repeat, size)})) > limit:
        size = size * limit // len(text) - 1
    return text


def _query(values: dict[str, str]) -> bytes:
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in values.items()).encode()


def headers_read() -> list[str]:
    """Every header that the gate or a route looks at."""
    return _named(r"""headers(?:\.get\(|\[)b"([a-z-]+)"|b"([a-z-]+)" in \w+\.headers|_tags\(b"([a-z-]+)"\)""", ROOT)


def s3_headers_read() -> list[str]:
    names = _named(r'"((?:x-amz|content|if|cache)-[a-z0-9-]+|range|expires)"', ROOT / "s3")
    return [name for name in names if name not in ("content-length", "x-amz-content-sha256", "x-amz-date")]


def s3_parameters_read() -> list[str]:
    return _named(
        r'query(?:\.get\(|\[)"([A-Za-z-]+)"|"([a-z]+-[a-z-]+|marker|prefix|delimiter)" in \w+\.query', ROOT / "s3"
    )


def _named(pattern: str, folder: Path) -> list[str]:
    found = {name for path in folder.rglob("*.py") for some in re.findall(pattern, path.read_text())
             for name in ([some] if isinstance(some, str) else some)}  # fmt: skip
    return sorted(found - {""})
