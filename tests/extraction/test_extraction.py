"""Text extraction: files are read, and malicious files do no harm."""

import asyncio
import resource
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from teamspace import extraction
from teamspace.extraction import Extracted, ExtractionFailed, ExtractionReason, ReaderPool, ReadPlan
from teamspace.extraction.domain import limits, readers
from teamspace.sandbox import isolated_python
from tests.extraction import files

READABLE: dict[str, Callable[[], bytes]] = {
    "plan.docx": files.docx, "plan.xlsx": files.xlsx, "plan.pptx": files.pptx, "plan.odt": files.odt,
    "plan.ods": files.ods, "plan.odp": files.odp, "plan.html": files.html, "plan.eml": files.eml,
    "plan.txt": files.WORDS.encode, "plan.md": files.WORDS.encode, "plan.py": files.WORDS.encode,
}  # fmt: skip


class TextReader:
    """Reads files as the repository does: simple ones in this process, all others in a reader process."""

    def __init__(self, folder: Path) -> None:
        self.readers = ReaderPool()
        self._folder = folder

    async def __call__(self, name: str, data: bytes) -> Extracted:
        plan = extraction.plan("", name, len(data))
        if plan.is_simple:
            return await plan.read(data)
        path = self._folder / "file"
        path.write_bytes(data)
        return await self.from_file(path, plan)

    async def from_file(self, path: Path, plan: ReadPlan) -> Extracted:
        async with self.readers.acquire(nullcontext) as reader:
            return await reader.read(path, plan.kind)


@pytest.fixture
async def read(tmp_path: Path) -> AsyncIterator[TextReader]:
    reader = TextReader(tmp_path)
    yield reader
    await reader.readers.end()


@pytest.mark.parametrize("name", READABLE)
async def test_the_text_of_a_file_is_read(read: TextReader, name: str) -> None:
    found = await read(name, READABLE[name]())
    assert files.WORDS in found.text
    assert not found.truncated


async def test_a_pdf_is_read(read: TextReader) -> None:
    assert (await read("plan.pdf", files.pdf())).text.strip() == "Zurich budget plan"


async def test_scripts_are_not_text_and_mail_subjects_are(read: TextReader) -> None:
    assert "evil" not in (await read("a.html", files.html())).text
    assert "Hello from Ann" in (await read("a.eml", files.eml())).text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
async def test_text_in_any_encoding(read: TextReader, encoding: str) -> None:
    assert (await read("a.txt", files.WORDS.encode(encoding))).text == files.WORDS


async def test_an_empty_file_has_an_empty_text(read: TextReader) -> None:
    assert await read("a.txt", b"") == Extracted("", truncated=False)


async def test_control_characters_become_spaces(read: TextReader) -> None:
    assert (await read("a.txt", b"a" * 5000 + b"\x00\x1b[31m\tb\r\n")).text == "a" * 5000 + "  [31m\tb\r\n"


async def test_a_long_text_is_truncated(read: TextReader) -> None:
    found = await read("a.txt", "ü".encode() * (3 << 20))
    assert (found.text, found.truncated) == ("ü" * (1 << 20), True)


# fmt: off
BAD: dict[str, tuple[Callable[[], bytes], ExtractionReason]] = {
    "cut.pdf":        (lambda: files.pdf()[:200],                     ExtractionReason.DAMAGED),
    "no.pdf":         (lambda: b"hello",                              ExtractionReason.DAMAGED),
    "loop.pdf":       (lambda: files.pdf(kids="2 0 R"),               ExtractionReason.NO_TEXT),
    "locked.pdf":     (lambda: files.pdf(encrypt=files.ENCRYPTED),    ExtractionReason.ENCRYPTED),
    "cut.docx":       (lambda: files.docx()[:300],                    ExtractionReason.DAMAGED),
    "locked.docx":    (lambda: bytes.fromhex("d0cf11e0a1b11ae1") * 99, ExtractionReason.ENCRYPTED),
    "bomb.docx":      (files.zip_bomb,                                ExtractionReason.UNPACKS_TOO_MUCH),
    "crowd.xlsx":     (files.crowd,                                   ExtractionReason.UNPACKS_TOO_MUCH),
    "nested.docx":    (files.nested,                                  ExtractionReason.DAMAGED),
    "laughs.docx":    (files.laughs,                                  ExtractionReason.NO_TEXT),
    "foreign.docx":   (files.foreign_file,                            ExtractionReason.NO_TEXT),
    "empty.html":     (lambda: b"",                                   ExtractionReason.NO_TEXT),
    "binary.txt":     (lambda: bytes(range(256)) * 20,                ExtractionReason.DAMAGED),
    "program.exe":    (lambda: b"MZ",                                 ExtractionReason.UNSUPPORTED),
}
# fmt: on


@pytest.mark.parametrize("name", BAD)
async def test_an_unreadable_file_has_a_reason(read: TextReader, name: str) -> None:
    make, reason = BAD[name]
    with pytest.raises(ExtractionFailed) as failure:
        await read(name, make())
    assert failure.value.reason is reason


async def test_an_archive_with_a_false_size_is_stopped(read: TextReader) -> None:
    with pytest.raises(ExtractionFailed):
        await read("a.docx", files.lying_bomb())


async def test_a_pdf_with_circular_xref_tables_is_read(read: TextReader) -> None:
    assert "budget" in (await read("a.pdf", files.pdf(xref=300))).text


async def test_a_gigabyte_of_zeros_is_refused(read: TextReader, tmp_path: Path) -> None:
    path = files.zeros(tmp_path / "zeros", 1 << 30)
    for name, reason in {"a.txt": ExtractionReason.DAMAGED, "a.pdf": ExtractionReason.TOO_LARGE}.items():
        with pytest.raises(ExtractionFailed) as failure:
            await read.from_file(path, extraction.plan("", name, 1 << 30))
        assert failure.value.reason is reason


async def test_memory_of_the_server_stays_bounded(read: TextReader) -> None:
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
            await read("a.docx", bomb)
    assert (await read("a.txt", b"\xff" * limits.PLAIN_BYTES)).text
    watching.cancel()
    assert most - before < 20


def _memory() -> float:
    """Return the process's resident memory in MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / limits.MIB


# The reader process


def replace_reader(monkeypatch: pytest.MonkeyPatch, code: str, first: str = "pass") -> None:
    """Replace the code that reads a file, and run `first` before it."""
    program = (
        f"{first}\nfrom teamspace.extraction.domain import reading\nimport os\n"
        f"def read(kind, walls):\n{textwrap.indent(code, '    ')}\n"
        "reading.serve(read)"
    )
    monkeypatch.setattr(readers, "_command", lambda: isolated_python(program))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("while True: pass", ExtractionReason.TOOK_TOO_LONG),
        ("import time; time.sleep(1000)", ExtractionReason.TOOK_TOO_LONG),
        ("while True: os.write(1, b'x' * 10_000)", ExtractionReason.TOOK_TOO_LONG),
        ("os.kill(os.getpid(), 24)", ExtractionReason.TOOK_TOO_LONG),
        ("os.abort()", ExtractionReason.CRASHED),
        ("os.killpg(0, 9)", ExtractionReason.CRASHED),
        ("raise MemoryError('out of memory')", ExtractionReason.TOO_MUCH_MEMORY),
        ("return b'x' * 10_000_000", ExtractionReason.CRASHED),
        ("return b''", ExtractionReason.CRASHED),
    ],
)
async def test_a_failing_reader_has_a_reason(
    read: TextReader, monkeypatch: pytest.MonkeyPatch, code: str, reason: ExtractionReason
) -> None:
    monkeypatch.setattr(limits, "WALL_SECONDS", 3.0)
    replace_reader(monkeypatch, code)
    with pytest.raises(ExtractionFailed) as failure:
        await read("a.pdf", b"text")
    assert failure.value.reason is reason


@pytest.mark.parametrize("stopped_by", ["time", "cancellation"])
async def test_child_processes_of_a_reader_end_with_it(
    read: TextReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped_by: str
) -> None:
    monkeypatch.setattr(limits, "WALL_SECONDS", 2.0 if stopped_by == "time" else 60.0)
    beat = tmp_path / "beat"
    child = f"import time\nwhile True: open({str(beat)!r}, 'a').write('x'); time.sleep(0.05)"
    replace_reader(monkeypatch, f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])")
    reading = asyncio.create_task(read("a.pdf", b"text"))
    await _until(beat.exists)
    if stopped_by == "cancellation":
        reading.cancel()
    with pytest.raises((ExtractionFailed, asyncio.CancelledError)):
        await reading
    size = beat.stat().st_size
    await asyncio.sleep(0.5)
    assert beat.stat().st_size == size


async def _until(condition: Callable[[], bool]) -> None:
    for _ in range(200):
        if condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("timed out")


@pytest.mark.both_databases
async def test_at_most_two_readers_run_at_a_time(
    read: TextReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    replace_reader(monkeypatch, f"import time\nopen({str(seen)!r}, 'a').write('<')\ntime.sleep(0.3)\n"
            f"open({str(seen)!r}, 'a').write('>')\nreturn b'{{}}'")  # fmt: skip
    await asyncio.gather(*(read("a.pdf", b"text") for _ in range(5)))
    depth = most = 0
    for sign in seen.read_text():
        depth += 1 if sign == "<" else -1
        most = max(most, depth)
    assert (most, depth) == (2, 0)


async def test_a_reader_reads_each_file_in_its_own_process(read: TextReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file sees what another one has left in memory."""
    replace_reader(
        monkeypatch, "left.append(kind)\nreturn b'{}\\n%d %d %d' % (os.getppid(), os.getpid(), len(left))", "left = []"
    )
    first, second = [(await read("a.pdf", b"text")).text.split() for _ in range(2)]
    assert first[0] == second[0] and first[1] != second[1]
    assert first[2] == second[2] == "1"


async def test_a_plain_text_starts_no_process(read: TextReader, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_reader(monkeypatch, "raise AssertionError")
    assert (await read("a.md", b"x" * limits.PLAIN_BYTES)).text
    with pytest.raises(ExtractionFailed):
        await read("a.md", b"x" * (limits.PLAIN_BYTES + 1))


async def test_an_idle_reader_ends(read: TextReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "IDLE_SECONDS", 0.05)
    replace_reader(monkeypatch, "return b'{}\\n%d' % os.getppid()")
    process = Path("/proc") / (await read("a.pdf", b"text")).text
    assert process.exists()
    await _until(lambda: not process.exists())
    assert (await read("a.pdf", b"text")).text != process.name


async def test_a_reader_ends_when_its_server_is_killed(tmp_path: Path) -> None:
    """Together with the process that it has forked."""
    code = f"""
        import asyncio, sys
        from contextlib import nullcontext
        from pathlib import Path
        from teamspace.extraction.domain import readers
        from teamspace.sandbox import isolated_python
        hang = "import os, time; print(os.getppid(), os.getpid(), file=open('pids', 'w'), flush=True); time.sleep(1000)"
        program = f"from teamspace.extraction.domain import reading; reading.serve(lambda kind, sandbox: exec({{hang!r}}))"
        readers._command = lambda: isolated_python(program.replace("'pids'", repr({str(tmp_path / "pids")!r})))
        async def main():
            async with readers.ReaderPool().acquire(nullcontext) as reader:
                await reader.read(Path(sys.executable), "application/pdf")
        asyncio.run(main())
    """
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", textwrap.dedent(code))
    pids = tmp_path / "pids"
    await _until(lambda: pids.exists() and pids.read_text().endswith("\n"))
    processes = [Path("/proc") / pid for pid in pids.read_text().split()]
    assert all(_is_alive(process) for process in processes)
    server.send_signal(signal.SIGKILL)
    await server.wait()
    await _until(lambda: not any(_is_alive(process) for process in processes))


def _is_alive(process: Path) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        return process.joinpath("stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def test_waiting_for_a_reader_is_reported_separately(read: TextReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_READERS", 1)
    pool, waits = ReaderPool(), 0

    @contextmanager
    def waiting() -> Iterator[None]:
        nonlocal waits
        waits += 1
        yield
        waits -= 1

    async with pool.acquire(waiting):
        assert waits == 0
        second = asyncio.create_task(_acquire_and_release(pool, waiting))
        await asyncio.sleep(0)
        assert waits == 1
    await second
    assert waits == 0
    await pool.end()


async def _acquire_and_release(pool: ReaderPool, waiting: readers.Waiting) -> None:
    async with pool.acquire(waiting):
        pass


async def test_a_reader_that_cannot_be_loaded_is_reported_as_crashed(
    read: TextReader, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    program = (
        "import sys; sys.modules['kreuzberg'] = None; from teamspace.extraction.domain import reading; reading.serve()"
    )
    monkeypatch.setattr(readers, "_command", lambda: isolated_python(program))
    with pytest.raises(ExtractionFailed) as failure:
        await read("a.pdf", files.pdf())
    assert failure.value.reason is ExtractionReason.CRASHED
    assert "kreuzberg" in caplog.text


async def test_a_reader_does_not_get_the_servers_environment(read: TextReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_SECRET_KEY", "secret")
    replace_reader(monkeypatch, "import json\nreturn f'{{}}\\n{json.dumps(dict(os.environ))} {os.getcwd()}'.encode()")
    text = (await read("a.pdf", b"text")).text
    assert "secret" not in text and "PATH" not in text
    assert "teamspace-" in text


# The sandbox

ATTEMPTS = {
    "a socket": "import socket; socket.socket()",
    "another family of sockets": "import socket; socket.socket(socket.AF_UNIX)",
    "a pair of sockets": "import socket; socket.socketpair()",
    "reading a file": "open('/etc/passwd')",
    "writing a file": "open('made', 'w')",
    "a folder": "os.mkdir('made')",
    "deleting": "os.unlink('there')",
    "renaming": "os.rename('there', 'made')",
    "a link": "os.symlink('there', 'made')",
    "permissions": "os.chmod('there', 0)",
    "a program": "os.execv('/bin/true', ['true'])",
    "a signal to its parent": "os.kill(os.getppid(), 0)",
    "a session of its own": "os.setsid()",
    "more time": "resource.setrlimit(resource.RLIMIT_CPU, (1, 1))",
}


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux")
def test_the_sandbox_blocks_every_attempt(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("x")
    code = "import os, resource, socket, threading\nfrom teamspace.extraction.domain import sandbox\n"
    # One thread is started before the sandbox, and must be inside it, too.
    code += "tries, go, said = [], threading.Event(), []\n"
    code += "def attempt(name, code):\n  try: exec(code)\n  except (OSError, ValueError): return\n  said.append(name)\n"
    code += f"def all_of_them():\n  go.wait()\n  for name, code in {ATTEMPTS!r}.items(): attempt(name, code)\n"
    code += "thread = threading.Thread(target=all_of_them); thread.start()\n"
    code += "sandbox.set_limits()\nassert sandbox.install_filter()\ngo.set(); thread.join(); all_of_them(); print(said)"
    ended = subprocess.run(isolated_python(code), capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (ended.stdout, ended.returncode) == ("[]\n", 0), ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux")
@pytest.mark.parametrize(
    ("code", "signal"), [("bytearray(1 << 30)", 1), ("exec('while True: pass')", -24)], ids=["memory", "time"]
)
def test_memory_and_time_are_limited(code: str, signal: int) -> None:
    began = time.monotonic()
    program = (
        f"from teamspace.extraction.domain import limits, sandbox\nlimits.CPU_SECONDS = 1\nsandbox.set_limits()\n{code}"
    )
    ended = subprocess.run(isolated_python(program), capture_output=True, check=False)
    assert ended.returncode == signal
    assert time.monotonic() - began < 60


async def test_files_are_read_inside_the_sandbox(read: TextReader, monkeypatch: pytest.MonkeyPatch) -> None:
    warned: list[object] = []
    monkeypatch.setattr(readers, "_warn_unsandboxed", lambda: warned.append(1))
    await read("a.pdf", files.pdf())
    await read("a.txt", b"text" * limits.MIB)
    assert not warned
