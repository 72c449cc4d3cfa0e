"""Checks a plugin: loads it in a process of its own, then uses everything it adds on a server that is thrown away."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue

import msgspec

from teamspace import plugins
from teamspace.authoring import server_checks
from teamspace.authoring.creating import AuthoringError
from teamspace.authoring.schemas import Begun, Line, PluginContents, Verdict, name_store
from teamspace.settings import environment_with

_LOADING = Begun("the plugin", "is loaded")
_LOAD_SECONDS = 60.0
"""The server allows ten for the import; the rest is to start Python."""


def check(folder: Path, seconds: float) -> Iterator[Verdict]:
    """Check a plugin, or all plugins in a folder. A call of a plugin may take so many `seconds`."""
    if not folder.is_dir():
        raise AuthoringError(f"there is no folder {folder}")
    found = list(plugins.list_folders(folder))
    if not found:
        raise AuthoringError(f"there is no plugin in {folder}")
    for each in found:
        yield from _check(each.resolve(), seconds)


def _check(folder: Path, seconds: float) -> Iterator[Verdict]:
    contents, at_fault = None, set[str]()
    for line in _load(folder, seconds):
        if isinstance(line, Verdict):
            yield line
            at_fault |= {line.subject} if line.fault else set()
        elif isinstance(line, PluginContents):
            contents = line
    if contents is not None:
        stores = [name for name in contents.blob_stores if name_store(name) not in at_fault]
        yield from server_checks.check(folder, msgspec.structs.replace(contents, blob_stores=stores), seconds)


def _load(folder: Path, seconds: float) -> Iterator[Line]:
    """Yield what the process says that loads the plugin; if it hangs or dies, which check it was."""
    with tempfile.TemporaryDirectory(prefix="teamspace-check-") as data:
        process = subprocess.Popen(
            [sys.executable, "-m", "teamspace.authoring.child", str(folder), data],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=data,
            env=environment_with({}), start_new_session=True,
        )  # fmt: skip
        try:
            yield from _listen(process, seconds)
        finally:
            _kill(process)


def _listen(process: "subprocess.Popen[bytes]", seconds: float) -> Iterator[Line]:
    lines, underway = _read_lines(process), _LOADING
    while True:
        limit = _LOAD_SECONDS if underway == _LOADING else seconds
        try:
            line = lines.get(timeout=limit)
        except Empty:
            yield Verdict(underway.subject, underway.what, fault=f"it did not finish within {limit:g} seconds")
            return
        if line is None:
            return
        if isinstance(line, int):
            yield Verdict(underway.subject, underway.what, fault=f"it ended the process, with {_describe_exit(line)}")
            return
        if isinstance(line, Begun):
            underway = line
        yield line


def _read_lines(process: "subprocess.Popen[bytes]") -> "Queue[Line | int | None]":
    """Return a queue that gets the lines of a process; at its end, None if all was said, otherwise its exit code."""
    lines: Queue[Line | int | None] = Queue()

    def read() -> None:
        assert process.stdout is not None
        last: Line | None = None
        for text in process.stdout:
            last = msgspec.json.decode(text, type=Line)
            lines.put(last)
        code = process.wait()
        is_complete = isinstance(last, PluginContents | Verdict) and code == 0
        lines.put(None if is_complete else code)

    threading.Thread(target=read, daemon=True).start()
    return lines


def _describe_exit(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
