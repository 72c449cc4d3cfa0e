"""Files are read, and no file does harm."""

import asyncio
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from teamspace import extraction
from teamspace.extraction import Extracted, ExtractionFailed, Reason
from teamspace.extraction.domain import limits, running
from tests.extraction import files

READABLE: dict[str, Callable[[], bytes]] = {
    "plan.docx": files.docx, "plan.xlsx": files.xlsx, "plan.pptx": files.pptx, "plan.odt": files.odt,
    "plan.ods": files.ods, "plan.odp": files.odp, "plan.html": files.html, "plan.eml": files.eml,
    "plan.txt": files.WORDS.encode, "plan.md": files.WORDS.encode, "plan.py": files.WORDS.encode,
}  # fmt: skip


async def read(folder: Path, name: str, data: bytes) -> Extracted:
    path = folder / "file"
    path.write_bytes(data)
    return await extraction.extract(path, "", name)


@pytest.mark.parametrize("name", READABLE)
async def test_its_text_is_read(tmp_path: Path, name: str) -> None:
    found = await read(tmp_path, name, READABLE[name]())
    assert files.WORDS in found.text
    assert not found.truncated


async def test_a_pdf_is_read(tmp_path: Path) -> None:
    assert (await read(tmp_path, "plan.pdf", files.pdf())).text.strip() == "Zurich budget plan"


async def test_what_a_page_does_is_no_text(tmp_path: Path) -> None:
    assert "evil" not in (await read(tmp_path, "a.html", files.html())).text
    assert "Hello from Ann" in (await read(tmp_path, "a.eml", files.eml())).text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
async def test_text_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    assert (await read(tmp_path, "a.txt", files.WORDS.encode(encoding))).text == files.WORDS


async def test_an_empty_text_is_a_text(tmp_path: Path) -> None:
    assert await read(tmp_path, "a.txt", b"") == Extracted("", truncated=False)


async def test_control_characters_become_spaces(tmp_path: Path) -> None:
    assert (await read(tmp_path, "a.txt", b"a" * 5000 + b"\x00\x1b[31m\tb\r\n")).text == "a" * 5000 + "  [31m\tb\r\n"


async def test_a_long_text_is_kept_as_far_as_it_goes(tmp_path: Path) -> None:
    found = await read(tmp_path, "a.txt", "ü".encode() * (3 << 20))
    assert (found.text, found.truncated) == ("ü" * (1 << 20), True)


# fmt: off
BAD: dict[str, tuple[Callable[[], bytes], Reason]] = {
    "cut.pdf":        (lambda: files.pdf()[:200],                     Reason.DAMAGED),
    "no.pdf":         (lambda: b"hello",                              Reason.DAMAGED),
    "loop.pdf":       (lambda: files.pdf(kids="2 0 R"),               Reason.NO_TEXT),
    "locked.pdf":     (lambda: files.pdf(encrypt=files.ENCRYPTED),    Reason.ENCRYPTED),
    "cut.docx":       (lambda: files.docx()[:300],                    Reason.DAMAGED),
    "locked.docx":    (lambda: bytes.fromhex("d0cf11e0a1b11ae1") * 99, Reason.ENCRYPTED),
    "bomb.docx":      (files.zip_bomb,                                Reason.UNPACKS_TOO_MUCH),
    "crowd.xlsx":     (files.crowd,                                   Reason.UNPACKS_TOO_MUCH),
    "nested.docx":    (files.nested,                                  Reason.DAMAGED),
    "laughs.docx":    (files.laughs,                                  Reason.NO_TEXT),
    "foreign.docx":   (files.foreign_file,                            Reason.NO_TEXT),
    "empty.html":     (lambda: b"",                                   Reason.NO_TEXT),
    "binary.txt":     (lambda: bytes(range(256)) * 20,                Reason.DAMAGED),
    "program.exe":    (lambda: b"MZ",                                 Reason.UNSUPPORTED),
}
# fmt: on


@pytest.mark.parametrize("name", BAD)
async def test_what_cannot_be_read_has_a_reason(tmp_path: Path, name: str) -> None:
    make, reason = BAD[name]
    with pytest.raises(ExtractionFailed) as failure:
        await read(tmp_path, name, make())
    assert failure.value.reason is reason


async def test_an_archive_that_lies_about_its_size_comes_to_an_end(tmp_path: Path) -> None:
    with pytest.raises(ExtractionFailed):
        await read(tmp_path, "a.docx", files.lying_bomb())


async def test_a_pdf_whose_tables_point_at_each_other_comes_to_an_end(tmp_path: Path) -> None:
    assert "budget" in (await read(tmp_path, "a.pdf", files.pdf(xref=300))).text


async def test_a_gigabyte_of_nothing(tmp_path: Path) -> None:
    path = files.zeros(tmp_path / "zeros", 1 << 30)
    for name, reason in {"a.txt": Reason.DAMAGED, "a.pdf": Reason.TOO_LARGE}.items():
        with pytest.raises(ExtractionFailed) as failure:
            await extraction.extract(path, "", name)
        assert failure.value.reason is reason


async def test_the_server_itself_stays_as_it_is(tmp_path: Path) -> None:
    bombs = [files.laughs(), files.lying_bomb(), files.zip_bomb(), b"x" * 1000]
    before, most = _memory(), 0.0

    async def watch() -> None:
        nonlocal most
        while True:
            most = max(most, _memory())
            await asyncio.sleep(0.01)

    watching = asyncio.create_task(watch())
    for bomb in bombs:
        with pytest.raises(ExtractionFailed):
            await read(tmp_path, "a.docx", bomb)
    await extraction.extract(files.zeros(tmp_path / "wide", 0), "", "a.txt")
    watching.cancel()
    assert most - before < 20


def _memory() -> float:
    """What the process holds at this moment, in MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / limits.MIB


# The child


def instead(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Another program in the reader's place."""
    monkeypatch.setattr(running, "_command", lambda kind: [sys.executable, "-I", "-c", code])


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("while True: pass", Reason.TOOK_TOO_LONG),
        ("import time; time.sleep(1000)", Reason.TOOK_TOO_LONG),
        ("while True: print('x' * 10_000)", Reason.TOOK_TOO_LONG),
        ("import os; os.kill(os.getpid(), 24)", Reason.TOOK_TOO_LONG),
        ("import os; os.abort()", Reason.CRASHED),
        ("raise MemoryError('out of memory')", Reason.TOO_MUCH_MEMORY),
        ("print('x' * 10_000_000)", Reason.CRASHED),
        ("pass", Reason.CRASHED),
    ],
)
async def test_a_reader_that_fails_is_a_reason_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, reason: Reason
) -> None:
    monkeypatch.setattr(limits, "WALL_SECONDS", 3.0)
    instead(monkeypatch, code)
    with pytest.raises(ExtractionFailed) as failure:
        await read(tmp_path, "a.txt", b"text")
    assert failure.value.reason is reason


@pytest.mark.parametrize("how", ["time", "cancellation"])
async def test_what_a_reader_started_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setattr(limits, "WALL_SECONDS", 2.0 if how == "time" else 60.0)
    beat = tmp_path / "beat"
    child = f"import time\nwhile True: open({str(beat)!r}, 'a').write('x'); time.sleep(0.05)"
    instead(monkeypatch, f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])")
    reading = asyncio.create_task(read(tmp_path, "a.txt", b"text"))
    await _until(beat.exists)
    if how == "cancellation":
        reading.cancel()
    with pytest.raises((ExtractionFailed, asyncio.CancelledError)):
        await reading
    size = beat.stat().st_size
    await asyncio.sleep(0.5)
    assert beat.stat().st_size == size


async def _until(true: Callable[[], bool]) -> None:
    for _ in range(200):
        if true():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it never came")


async def test_two_read_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = tmp_path / "seen"
    instead(monkeypatch, f"import time; open({str(seen)!r}, 'a').write('<'); time.sleep(0.3);"
            f"open({str(seen)!r}, 'a').write('>'); print('{{}}')")  # fmt: skip
    await asyncio.gather(*(read(tmp_path, "a.txt", b"text") for _ in range(5)))
    depth = most = 0
    for sign in seen.read_text():
        depth += 1 if sign == "<" else -1
        most = max(most, depth)
    assert (most, depth) == (2, 0)


async def test_a_reader_that_cannot_be_loaded_is_not_the_files_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    spoilt = "import sys; sys.modules['kreuzberg'] = None; from teamspace.extraction.domain import reading; "
    instead(monkeypatch, spoilt + "reading.main('application/pdf')")
    with pytest.raises(ExtractionFailed) as failure:
        await read(tmp_path, "a.pdf", files.pdf())
    assert failure.value.reason is Reason.CRASHED
    assert "kreuzberg" in caplog.text


async def test_nothing_of_the_servers_environment_is_known_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_SECRET_KEY", "secret")
    instead(monkeypatch, "import os, json; print('{}'); print(json.dumps(dict(os.environ)), os.getcwd())")
    text = (await read(tmp_path, "a.txt", b"text")).text
    assert "secret" not in text and "PATH" not in text
    assert "teamspace-" in text


# The walls

ATTEMPTS = {
    "a socket": "import socket; socket.socket()",
    "another family of sockets": "import socket; socket.socket(socket.AF_UNIX)",
    "a pair of sockets": "import socket; socket.socketpair()",
    "reading a file": "open('/etc/passwd')",
    "writing a file": "open('made', 'w')",
    "a folder": "os.mkdir('made')",
    "removing": "os.unlink('there')",
    "renaming": "os.rename('there', 'made')",
    "a link": "os.symlink('there', 'made')",
    "permissions": "os.chmod('there', 0)",
    "a program": "os.execv('/bin/true', ['true'])",
    "a signal to its parent": "os.kill(os.getppid(), 0)",
    "a session of its own": "os.setsid()",
    "more time": "resource.setrlimit(resource.RLIMIT_CPU, (1, 1))",
}


@pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")
def test_nothing_gets_through_the_walls(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("x")
    code = "import os, resource, socket, threading\nfrom teamspace.extraction.domain import walls\n"
    # One thread is older than the wall, and must be behind it, too.
    code += "tries, go, said = [], threading.Event(), []\n"
    code += "def attempt(name, code):\n  try: exec(code)\n  except OSError: return\n  said.append(name)\n"
    code += f"def all_of_them():\n  go.wait()\n  for name, code in {ATTEMPTS!r}.items(): attempt(name, code)\n"
    code += "thread = threading.Thread(target=all_of_them); thread.start()\n"
    code += "walls.bound()\nassert walls.close()\ngo.set(); thread.join(); all_of_them(); print(said)"
    ended = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (ended.stdout, ended.returncode) == ("[]\n", 0), ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


@pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")
@pytest.mark.parametrize(
    ("code", "signal"), [("bytearray(1 << 30)", 1), ("exec('while True: pass')", -24)], ids=["memory", "time"]
)
def test_memory_and_time_are_bounded(code: str, signal: int) -> None:
    began = time.monotonic()
    program = f"from teamspace.extraction.domain import limits, walls\nlimits.CPU_SECONDS = 1\nwalls.bound()\n{code}"
    ended = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, check=False)
    assert ended.returncode == signal
    assert time.monotonic() - began < 60


async def test_the_walls_stand_while_a_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warned: list[object] = []
    monkeypatch.setattr(running, "_warn", lambda: warned.append(1))
    await read(tmp_path, "a.pdf", files.pdf())
    await read(tmp_path, "a.txt", b"text")
    assert not warned
