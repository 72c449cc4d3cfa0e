"""The files of plugins: who gets them, how they are cached, and that no path leads outside of their folder."""

import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from teamspace.settings import Settings
from tests.plugins.help import SAMPLE, world_with
from tests.support.plain_request import send_plain
from tests.support.world import World

PUBLIC, PRIVATE = "/beta/bundle/sample/", "/api/x/sample/bundle/"
# fmt: off
CLIMBING = [
    "..", "../plugin.py", "../plugin.json", "parts/../main.js", "parts/../../plugin.py", "./main.js", ".", "", "/", "//main.js",
    "parts//part.css", "main.js/", "parts/", "parts", "/etc/passwd", "../../../../../../../../etc/passwd",
    "%2e%2e/plugin.py", "%2E%2E%2Fplugin.py", "..%2fplugin.py", "..%252fplugin.py", "%252e%252e/plugin.py", "..%5cplugin.py",
    "..\\plugin.py", "parts%2f..%2f..%2fplugin.py", "main.js%00", "main.js%00.css", "%00", "main%2ejs%2f..%2f..%2fplugin.py",
    "..;/plugin.py", "....//plugin.py", "..../plugin.py", "%c0%ae%c0%ae/plugin.py", "%e0%80%ae%e0%80%ae/plugin.py",
    "\u2025/plugin.py", "\uff0e\uff0e/plugin.py", "main.js?/../../plugin.py", "..%2f..%2fsample%2fplugin.py",
    "link.js", "linked/plugin.py", "linked/plugin.json", "fifo.js", ".hidden.js", "source.py", "no-suffix", "main.JS%20",
    "a/" * 40 + "main.js", "x" * 5000 + ".js", "~/main.js", "~root/.profile", "C:%5cWindows%5cwin.ini", "file:main.js",
    "%2fetc%2fpasswd", "parts/%2e%2e/%2e%2e/plugin.py", "main.js%2f", "main.js%2e", "\r\nmain.js", "%0d%0amain.js",
]
# fmt: on


@pytest.fixture
async def world(settings: Settings, sqlite_template: Path, tmp_path: Path) -> AsyncIterator[World]:
    """The sample plugin with traps in both of its folders."""
    folder = tmp_path / "plugins" / "sample"
    shutil.copytree(SAMPLE, folder)
    for files in (folder / "bundle", folder / "landing"):
        (files / "link.js").symlink_to(folder / "plugin.py")
        (files / "linked").symlink_to(folder)
        os.mkfifo(files / "fifo.js")
        for name in (".hidden.js", "source.py", "no-suffix"):
            (files / name).write_text("hidden")
    async with world_with(settings, sqlite_template, folder) as instance:
        yield instance


async def test_a_bundle_is_for_signed_in_people_and_never_cached(world: World) -> None:
    ann = await world.bootstrap()
    answer = await ann.get(f"{PRIVATE}main.js")
    assert (answer.status_code, answer.text) == (200, 'export const greeting = "Hello";\n')
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["cache-control"] == "private, no-store"
    assert answer.headers["vary"] == "Authorization"
    assert (await ann.get(f"{PRIVATE}parts/part.css")).headers["content-type"] == "text/css; charset=utf-8"
    assert (await world.anonymous.get(f"{PRIVATE}main.js")).status_code == 401
    assert (await ann.get(f"{PRIVATE}index.html")).status_code == 404, "that is in the other folder"


async def test_landing_files_are_public_and_cached(world: World) -> None:
    answer = await world.anonymous.get(f"{PUBLIC}index.html")
    assert (answer.status_code, answer.text) == (200, "<!doctype html><title>Welcome</title>\n")
    assert answer.headers["cache-control"] == "public, max-age=300"
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts allow-forms; default-src 'none'; script-src 'self'")
    assert "allow-same-origin" not in policy, "a page must not reach a session of the console"
    assert (await world.anonymous.get(f"{PUBLIC}main.js")).status_code == 404


async def test_no_path_leads_outside(world: World) -> None:
    ann = await world.bootstrap()
    for folder in (PUBLIC, PRIVATE):
        for path in CLIMBING:
            # As it is: a client would remove the dots.
            answer = await send_plain(
                world.client, "GET", folder + path, None, {"authorization": f"Bearer {ann.token}"}
            )
            assert answer.status_code in (400, 404, 414), (path, answer.status_code)
            assert not any(secret in answer.text for secret in ("teamspace.sdk", "hidden", "root:", "Has a row")), path


@pytest.mark.parametrize("plugin", ["gone", "..", "%2e%2e", "rs3", "notes", "sample%2f..", "Sample", "", "."])
async def test_only_folders_of_loaded_plugins_are_served(world: World, plugin: str) -> None:
    ann = await world.bootstrap()
    for path in (f"/beta/bundle/{plugin}/index.html", f"/api/x/{plugin}/bundle/main.js"):
        assert (await ann.get(path)).status_code in (400, 404), path
