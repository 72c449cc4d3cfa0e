"""Reads the files of a plugin's folders `bundle/` and `landing/` from a real server, and tries to get out of them."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import quote

from teamspace.authoring.schemas import Unmet
from teamspace.authoring.serving import Check, expect
from teamspace.core.content_types import find_content_type
from teamspace.sdk.testing import HttpAnswer, PluginServer

_OUTSIDE = ("../plugin.json", "%2e%2e/plugin.json", "..%2fplugin.json", "x/../../plugin.json", "/etc/passwd")
_CACHING = {
    "bundle": {"cache-control": "private, no-store", "vary": "Authorization"},
    "landing": {"cache-control": "public, max-age=300"},
}


def list_checks(folder: Path, plugin: str) -> Iterator[Check]:
    for kind, base in (("bundle", f"/api/x/{plugin}/bundle/"), ("landing", f"/beta/bundle/{plugin}/")):
        if (folder / kind).is_dir():
            yield from _folder_checks(folder / kind, kind, base)


def _folder_checks(folder: Path, kind: str, base: str) -> Iterator[Check]:
    is_public = kind == "landing"

    def serves(file: Path, server: PluginServer) -> None:
        name = file.relative_to(folder).as_posix()
        if find_content_type(name) is None:
            raise Unmet(f"files that end with {file.suffix or 'nothing'} are not served")
        client = server.anonymous if is_public else server
        answer = client.get(base + quote(name))
        expect(answer, 200)
        if answer.body != file.read_bytes():
            raise Unmet("its content is not what is served")
        _expect_caching(answer, kind)
        if not is_public:
            expect(server.anonymous.get(base + quote(name)), 401)

    def serves_nothing_else(server: PluginServer) -> None:
        for path in _OUTSIDE:
            answer = server.get(base + path)
            if answer.status not in (400, 404):
                raise Unmet(f"{base}{path} was answered with {answer.status}")

    for file in sorted(folder.rglob("*")):
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts):
            name = f"the file {kind}/{file.relative_to(folder).as_posix()}"
            yield name, "is public" if is_public else "is served to signed-in people only", partial(serves, file)
    yield f"the folder {kind}/", "shows nothing outside of it", serves_nothing_else


def _expect_caching(answer: HttpAnswer, kind: str) -> None:
    for name, value in _CACHING[kind].items():
        if answer.headers.get(name) != value:
            raise Unmet(f"its header {name} is {answer.headers.get(name)} instead of {value}")
