"""Runs a guide: sends its requests in order and compares the responses with the text."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec

_STEP = re.compile(r"```http\n(.*?)```\s*```json\n(.*?)```", re.DOTALL)
_NAME = re.compile(r"\$([A-Z_]+)")


class Step(msgspec.Struct, frozen=True):
    method: str
    path: str
    headers: dict[str, str]
    body: str
    status: int
    answer: Any
    line: int


def steps(page: Path) -> Iterator[Step]:
    text = page.read_text()
    for match in _STEP.finditer(text):
        head, _, body = match[1].partition("\n\n")
        first, *lines = head.strip().splitlines()
        method, path = first.split()
        status, _, answer = match[2].partition("\n")
        yield Step(
            method, path, dict(line.split(": ", 1) for line in lines), body.strip(), int(status),
            json.loads(answer) if answer.strip() else None, text[: match.start()].count("\n") + 2,
        )  # fmt: skip


def walk(page: Path, url: str) -> int:
    """Returns the number of steps; the first response that differs from the text fails."""
    names: dict[str, str] = {}
    count = 0
    with httpx2.Client(base_url=url, timeout=30) as client:
        for step in steps(page):
            count += 1
            answer = client.request(
                step.method, _substitute(step.path, names), content=_substitute(step.body, names) or None,
                headers={
                    **({"content-type": "application/json"} if step.body else {}),
                    **{name: _substitute(value, names) for name, value in step.headers.items()},
                },
            )  # fmt: skip
            where = f"{page.name}:{step.line} {step.method} {step.path}"
            assert answer.status_code == step.status, f"{where} was answered {answer.status_code} {answer.text}"
            if step.answer is not None:
                _compare(step.answer, answer.json(), names, where)
    return count


def _substitute(text: str, names: dict[str, str]) -> str:
    return _NAME.sub(lambda match: names[match[1]], text)


def _compare(expected: Any, found: Any, names: dict[str, str], where: str) -> None:
    """Objects may have more fields than shown; lists must match; `…` matches any text, and `$NAME` captures one."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            assert key in found, f"{where}: no {key} in {found}"
            _compare(value, found[key], names, f"{where} {key}")
    elif isinstance(expected, list):
        assert len(expected) == len(found), f"{where}: {found}"
        for one, other in zip(expected, found, strict=True):
            _compare(one, other, names, where)
    elif isinstance(expected, str) and isinstance(found, str):
        _compare_text(expected, found, names, where)
    else:
        assert expected == found, f"{where}: {found}"


def _compare_text(expected: str, found: str, names: dict[str, str], where: str) -> None:
    pattern = "".join(
        ".*" if part == "…" else f"(?P<{part[1:]}>.+)" if part.startswith("$") and part[1:] not in names
        else re.escape(names.get(part[1:], part) if part.startswith("$") else part)
        for part in re.split(r"(\$[A-Z_]+|…)", expected)
    )  # fmt: skip
    match = re.fullmatch(pattern, found, re.DOTALL)
    assert match, f"{where}: {found!r} is not {expected!r}"
    names |= match.groupdict()
