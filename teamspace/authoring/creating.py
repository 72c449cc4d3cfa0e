"""Writes a new plugin: a copy of the template, with the names changed."""

import re
from collections.abc import Iterator
from pathlib import Path

from teamspace import plugins

_TEMPLATE = Path(__file__).parent / "template"
_ID = re.compile(r"[a-z][a-z0-9-]{0,63}")
_IN_TEMPLATE = ("my-plugin", "my_plugin", "My plugin")
_RESERVED = ("shipped",)


class AuthoringError(Exception):
    """The plugin cannot be written or checked; the message says why."""


def create(name: str, parent: Path) -> list[Path]:
    """Write a plugin to a new folder in `parent`; return its files."""
    _check_name(name)
    target = parent / name
    try:
        target.mkdir(parents=True)
    except FileExistsError:
        raise AuthoringError(f"{target} exists already; nothing was written") from None
    files = {target / path: text for path, text in _render(name)}
    for file, text in files.items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return list(files)


def _check_name(name: str) -> None:
    if not _ID.fullmatch(name):
        raise AuthoringError(
            f"{name!r:.100} cannot be the name of a plugin: it must be lower-case letters, digits and hyphens,"
            " begin with a letter, and have at most 64 characters"
        )
    if name in _RESERVED or name in {package.source for package in plugins.find_shipped()}:
        raise AuthoringError(f"{name} is the name of something that ships with the server; choose another one")


def _render(name: str) -> Iterator[tuple[Path, str]]:
    """Yield the files of the plugin, by their paths in its folder."""
    words = name.replace("-", " ").strip().capitalize()
    for file in sorted(_TEMPLATE.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            text = file.read_text(encoding="utf-8")
            for old, new in zip(_IN_TEMPLATE, (name, name.replace("-", "_"), words), strict=True):
                text = text.replace(old, new)
            yield file.relative_to(_TEMPLATE), text
