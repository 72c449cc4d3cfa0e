"""The sandbox: processes can do their work in it, and nothing else."""

import asyncio
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from teamspace import sandbox
from teamspace.sandbox import Limits, SandboxUnavailable, Walls, bubblewrap, calls, filters, isolated_python, starting
from teamspace.sandbox.schemas import MIB, LaunchPlan

pytestmark = [
    pytest.mark.skipif(sandbox.find_tier() is None, reason="nothing on this system can contain a process"),
]
PYTHON = Walls(sandbox.python_paths())


class Ended(msgspec.Struct):
    code: int
    output: str
    errors: str


async def run(
    code: str, walls: Walls = PYTHON, *, env: dict[str, str] | None = None, seconds: float = 20, input: bytes = b""
) -> Ended:
    process = await sandbox.start([sys.executable, "-I", "-c", textwrap.dedent(code)], walls, env=env)
    try:
        async with asyncio.timeout(seconds):
            output, errors = await process.communicate(input)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return Ended(process.returncode, output.decode(), errors.decode())


async def attempt(codes: dict[str, str], walls: Walls = PYTHON, **values: object) -> dict[str, str]:
    """Run pieces of code in one process; return what each raises, or `done`."""
    program = textwrap.dedent(f"""
        import ctypes, json, os, resource, socket
        libc, outcomes = ctypes.CDLL(None, use_errno=True), {{}}
        def call(name, *arguments):
            if getattr(libc, name)(*arguments) < 0: raise OSError(ctypes.get_errno(), name)
        for name, code in {codes!r}.items():
            try: exec(code, globals() | {values!r})
            except (OSError, ValueError) as fault: outcomes[name] = type(fault).__name__
            else: outcomes[name] = "done"
        print(json.dumps(outcomes))
    """)
    ended = await run(program, walls)
    assert ended.code == 0, ended
    return dict(json.loads(ended.output))


async def test_a_program_runs_with_its_streams_and_exactly_its_environment() -> None:
    ended = await run(
        "import json, os, sys; print(json.dumps([sys.stdin.read(), dict(os.environ), os.getpid(), os.getcwd()]))",
        env={"GREETING": "hi", "LC_CTYPE": "C.UTF-8"}, input=b"hello",
    )  # fmt: skip
    given, environment, process, folder = json.loads(ended.output)
    assert (given, process <= 2, folder) == ("hello", True, "/dev/shm")
    environment.pop("PWD", None)  # bubblewrap sets it
    assert environment == {"GREETING": "hi", "LC_CTYPE": "C.UTF-8"}
    assert (ended.code, ended.errors) == (0, "")


async def test_exit_codes_and_standard_error_arrive() -> None:
    ended = await run("import sys; sys.exit('no luck')")
    assert (ended.code, ended.errors) == (1, "no luck\n")


async def test_a_program_gets_the_open_files_that_it_is_given() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        command = [
            sys.executable,
            "-I",
            "-c",
            "import os; os.write(3, os.read(3, 9)[::-1]); print(os.listdir('/dev/shm'))",
        ]
        process = await sandbox.start(command, PYTHON, descriptors={3: theirs.fileno()})
        theirs.close()
        ours.send(b"abc")
        output, errors = await process.communicate()
        assert (output, errors) == (b"[]\n", b"")
        assert ours.recv(9) == b"cba"


async def test_a_program_gets_no_other_open_files() -> None:
    """Also if the server has many."""
    held = [os.open("/dev/null", os.O_RDONLY) for _ in range(600)]
    try:
        code = "import os\nfor n in range(2000):\n  try: os.fstat(n); print(n, end=' ')\n  except OSError: pass"
        command = [sys.executable, "-I", "-c", code]
        process = await sandbox.start(command, PYTHON, descriptors={5: held[-1]})
        output, _ = await process.communicate()
    finally:
        for descriptor in held:
            os.close(descriptor)
    assert output.split() == [b"0", b"1", b"2", b"5"]


async def test_threads_and_processes_and_the_scratch_folder_work() -> None:
    ended = await run(
        """
        import subprocess, sys, threading, tempfile, os
        thread = threading.Thread(target=print, args=("thread",)); thread.start(); thread.join()
        print(subprocess.run(["/bin/echo", "process"], capture_output=True, text=True).stdout, end="")
        with tempfile.NamedTemporaryFile("w+", dir="/dev/shm") as file:
            file.write("scratch"); file.flush(); os.chmod(file.name, 0o600); print(open(file.name).read())
        """
    )
    assert (ended.output, ended.errors) == ("thread\nprocess\nscratch\n", "")


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
async def test_node_runs() -> None:
    code = "const {Worker} = require('worker_threads'); console.log([1, 2, 3].map(n => n * 2).join()); setTimeout(() => console.log('later'), 5)"
    process = await sandbox.start(["node", "-e", code], Walls(()), env={"PATH": os.environ["PATH"]})
    output, errors = await process.communicate()
    assert (output, errors) == (b"2,4,6\nlater\n", b"")


# What it cannot do


@pytest.fixture
def private(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text("secret")
    return tmp_path


FILES = {
    "reading": "open(f'{private}/secret')",
    "listing": "os.listdir(private)",
    "writing": "open(f'{private}/made', 'w')",
    "deleting": "os.unlink(f'{private}/secret')",
    "permissions": "os.chmod(f'{private}/secret', 0)",
    "times": "os.utime(f'{private}/secret', (0, 0))",
    "a folder": "os.mkdir(f'{private}/made')",
    "a link to it": "os.link(f'{private}/secret', '/dev/shm/made')",
    "through a symbolic link": "os.symlink(f'{private}/secret', '/dev/shm/made'); open('/dev/shm/made')",
    "home folders": "os.listdir('/root')",
    "accounts": "open('/etc/passwd')",
    "the root": "os.listdir('/')",
    "other processes": "os.listdir('/proc')",
    "the environment of others": "open('/proc/1/environ')",
    "its own programs": "open('/usr/bin/true', 'r+')",
    "new programs in system folders": "open('/usr/made', 'w')",
    "new files in the root": "open('/made', 'w')",
    "new files beside devices": "open('/dev/made', 'w')",
    "devices": "os.mknod('/dev/shm/made', 0o20666, 0)",
    "the terminal": "open('/dev/tty')",
}


SHOWN_BY_BUBBLEWRAP = {"home folders", "the root", "other processes", "the environment of others"}
"""With bubblewrap, these are the sandbox's own: folders on the way to what is readable, and bubblewrap's own process."""


async def test_files_outside_of_the_walls_are_out_of_reach(private: Path) -> None:
    before = (private / "secret").stat()
    outcomes = await attempt(FILES, private=str(private))
    done = {name for name, outcome in outcomes.items() if outcome == "done"}
    assert outcomes.keys() == FILES.keys(), outcomes
    assert done <= (SHOWN_BY_BUBBLEWRAP if sandbox.find_tier() == "bubblewrap" else set()), outcomes
    after = (private / "secret").stat()
    assert (after.st_mode, after.st_mtime, after.st_nlink) == (before.st_mode, before.st_mtime, before.st_nlink)
    assert os.listdir(private) == ["secret"]


async def test_readable_folders_are_readable_and_writable_ones_writable(private: Path, tmp_path: Path) -> None:
    (private / "open").mkdir()
    walls = msgspec.structs.replace(PYTHON, readable=(*PYTHON.readable, private), writable=(private / "open",))
    attempts = {
        "reading": "assert open(f'{private}/secret').read() == 'secret'",
        "writing there": "open(f'{private}/open/made', 'w').write('x')",
        "writing beside it": "open(f'{private}/made', 'w')",
    }
    outcomes = await attempt(attempts, walls, private=str(private))
    assert outcomes == {"reading": "done", "writing there": "done", "writing beside it": "OSError"}
    assert (private / "open" / "made").read_text() == "x"
    assert not (private / "made").exists()


OTHERS = {
    "a connection": "socket.create_connection(('127.0.0.1', port), 1)",
    "any socket": "socket.socket()",
    "a socket in the file system": "socket.socket(socket.AF_UNIX)",
    "datagrams": "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "a signal to its parent": "os.kill(os.getppid() or 999999, 9)",
    "a signal to the server": "os.kill(server, 9)",
    "more files": "resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))",
    "more CPUs": "os.sched_setaffinity(0, {0, 1})",
    "priority": "os.nice(-1)",
    "another user": "os.setuid(1)",
    "namespaces": "call('unshare', 0x10000000)",
    "mounts": "call('mount', b'x', b'/dev/shm', b'tmpfs', 0, None)",
    "outliving the server": "call('prctl', 1, 0, 0, 0, 0)",
    "tracing": "call('ptrace', 16, 1, 0, 0)",
    "memory in files": "os.memfd_create('x')",
}


async def test_other_attempts_fail() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        outcomes = await attempt(OTHERS, port=server.getsockname()[1], server=os.getpid())
        done = {name for name, outcome in outcomes.items() if outcome == "done"}
        assert outcomes.keys() == OTHERS.keys(), outcomes
        # The parent is bubblewrap itself, in the same namespace.
        assert done <= ({"a signal to its parent"} if sandbox.find_tier() == "bubblewrap" else set()), outcomes
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()


async def test_with_network_connections_are_possible() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        walls = msgspec.structs.replace(PYTHON, network=True)
        attempts = {
            "a connection": "socket.create_connection(('127.0.0.1', port), 5)",
            "a socket in the file system": "socket.socket(socket.AF_UNIX)",
        }
        outcomes = await attempt(attempts, walls, port=server.getsockname()[1])
        assert outcomes == {"a connection": "done", "a socket in the file system": "PermissionError"}


def limited(**changes: int) -> Walls:
    return msgspec.structs.replace(PYTHON, limits=msgspec.structs.replace(Limits(), **changes))


async def test_the_memory_of_a_process_is_limited() -> None:
    ended = await run("bytearray(200 << 20)", limited(memory_bytes=100 * MIB))
    assert (ended.code, "MemoryError" in ended.errors) == (1, True)


async def test_the_memory_of_all_processes_together_is_limited() -> None:
    code = """
        import os, time
        for _ in range(9):
            if not os.fork():
                held = bytearray(os.urandom(1 << 20)) * 30
                time.sleep(60)
        time.sleep(60)
    """
    ended = await run(code, limited(memory_bytes=100 * MIB))
    assert (ended.code, ended.errors) == (137, f"sandbox: ended, since it has more than {100 * MIB} bytes of memory\n")


async def test_shared_memory_and_the_scratch_folder_are_limited() -> None:
    shared = "import mmap, time; held = mmap.mmap(-1, 300 << 20)\nfor n in range(0, 300 << 20, 4096): held[n] = 1\ntime.sleep(60)"
    assert (await run(shared, limited(memory_bytes=100 * MIB))).code == 137
    files = "for n in range(9): open(f'/dev/shm/{n}', 'wb').write(bytes(1 << 20))"
    assert "No space left" in (await run(files, limited(file_bytes=3 * MIB))).errors


async def test_a_fork_bomb_is_contained() -> None:
    bomb = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass"
    before, began = len(os.listdir("/proc")), time.monotonic()
    process = await sandbox.start([sys.executable, "-I", "-c", bomb], PYTHON)
    most = 0
    while process.returncode is None and time.monotonic() - began < 5:
        most = max(most, len(os.listdir("/proc")) - before)
        await asyncio.sleep(0.05)
    if process.returncode is None:
        process.kill()
    await process.communicate()
    assert most < 400
    await _until(lambda: len(os.listdir("/proc")) - before < 20)


@pytest.mark.skipif(os.geteuid() != 0, reason="root becomes somebody else")
def test_the_kernel_limits_the_processes_of_everybody_but_root() -> None:
    """Also shows that the walls need no privileges."""
    code = textwrap.dedent("""
        import os, resource, time
        from teamspace.sandbox import calls, filters, kernel, landlock, namespaces
        from teamspace.sandbox.schemas import Walls
        os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
        kernel.prctl(4, 1)
        namespaces.enter(Walls(()))
        if not (child := os.fork()):
            resource.setrlimit(resource.RLIMIT_NPROC, (5, 5))
            kernel.drop_capabilities()
            landlock.restrict((), (), network=False)
            filters.install(filters.compile_filter([calls.BASE, calls.FILES, calls.PROCESSES]))
            made = 0
            for _ in range(20):
                try:
                    if not os.fork(): time.sleep(60)
                    made += 1
                except BlockingIOError: pass
            os._exit(made)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    assert subprocess.run(isolated_python("exec(" + repr(code) + ")"), check=False).returncode in range(1, 5)


async def test_the_cpu_time_is_limited() -> None:
    ended = await run("while True: pass", limited(cpu_seconds=1))
    assert ended.code == 137


async def test_all_processes_end_with_a_kill(tmp_path: Path) -> None:
    walls = msgspec.structs.replace(PYTHON, writable=(tmp_path,))
    process = await sandbox.start([sys.executable, "-I", "-c", _beats(tmp_path)], walls)
    await _until(lambda: len(os.listdir(tmp_path)) == 2)
    process.kill()
    await process.communicate()
    await _check_silence(tmp_path)


async def test_all_processes_end_with_the_server(tmp_path: Path) -> None:
    server = f"""
        import asyncio, sys
        from pathlib import Path
        from teamspace import sandbox
        async def main():
            walls = sandbox.Walls(sandbox.python_paths(), (Path({str(tmp_path)!r}),))
            process = await sandbox.start([sys.executable, "-I", "-c", {_beats(tmp_path)!r}], walls)
            await process.wait()
        asyncio.run(main())
    """
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", textwrap.dedent(server))
    await _until(lambda: len(os.listdir(tmp_path)) == 2)
    process.kill()
    await process.wait()
    await _check_silence(tmp_path)


def _beats(folder: Path) -> str:
    """Return a program of two processes in different sessions, which write until they end."""
    return textwrap.dedent(f"""
        import os, time
        if not os.fork(): os.setsid()
        while True:
            with open('{folder}/' + str(os.getpid()), 'a') as file: file.write('x')
            time.sleep(0.02)
    """)


async def _check_silence(folder: Path) -> None:
    await asyncio.sleep(0.3)
    sizes = _sizes(folder)
    await asyncio.sleep(0.3)
    assert _sizes(folder) == sizes


def _sizes(folder: Path) -> list[int]:
    return [path.stat().st_size for path in folder.iterdir()]


async def _until(condition: Callable[[], bool]) -> None:
    for _ in range(200):
        if condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("timed out")


# Which walls there are


async def test_without_a_tier_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "find_tier", lambda: None)
    with pytest.raises(SandboxUnavailable):
        await sandbox.start(["true"], PYTHON)


async def test_an_unknown_program_is_named() -> None:
    with pytest.raises(FileNotFoundError, match="no-such-program"):
        await sandbox.start(["no-such-program"], PYTHON)


def test_the_tier_is_the_best_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    works = {"bubblewrap": True, "landlock": True}
    monkeypatch.setattr(starting, "_works", lambda tier: works[tier])
    monkeypatch.setattr(starting, "_probe", starting._Probe())
    assert sandbox.find_tier() == "bubblewrap"
    starting._probe.forget()
    works["bubblewrap"] = False
    assert sandbox.find_tier() == "landlock"
    starting._probe.forget()
    works["landlock"] = False
    assert sandbox.find_tier() is None


def test_that_no_tier_works_is_not_remembered_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system without free memory or processes fails the trial of walls that it can build a minute later."""
    tried, works, now = list[str](), set[str](), [1000.0]

    def try_it(tier: str) -> bool:
        tried.append(tier)
        return tier in works

    monkeypatch.setattr(starting, "_works", try_it)
    monkeypatch.setattr(starting, "_probe", starting._Probe())
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    assert sandbox.find_tier() is None and tried == ["bubblewrap", "landlock"]
    works.add("landlock")
    now[0] += starting.RETRY_SECONDS - 1
    assert sandbox.find_tier() is None and len(tried) == 2, "not on every start"
    now[0] += 1
    assert sandbox.find_tier() == "landlock" and len(tried) == 4
    now[0] += 10 * starting.RETRY_SECONDS
    works.clear()
    assert sandbox.find_tier() == "landlock" and len(tried) == 4, "what works is remembered"


@pytest.fixture
def bwrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in place of bubblewrap, which the test writes."""
    program = tmp_path / "bwrap"
    program.touch(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert bubblewrap.find() == str(program)
    return program


def test_walls_that_cannot_be_built_are_no_tier(bwrap: Path) -> None:
    """Bubblewrap is there, but the system forbids user namespaces."""
    bwrap.write_text("#!/bin/sh\nexit 1\n")
    assert not starting._works("bubblewrap")


def test_bubblewrap_gets_the_command_and_the_filter(bwrap: Path, tmp_path: Path) -> None:
    script = """#!/bin/sh
        folder=$(dirname "$0")
        while [ "$1" != -- ]; do [ "$1" = --seccomp ] && eval "cat <&$2 >$folder/filter"; shift; done
        shift; ulimit -a >"$folder/limits"; exec "$@"
    """
    bwrap.write_text(script)
    assert starting._works("bubblewrap")
    rules = filters.compile_filter([calls.BASE, calls.FILES, calls.PROCESSES])
    assert len((tmp_path / "filter").read_bytes()) == len(rules)
    assert re.search(r"data.*524288\n", (tmp_path / "limits").read_text())


def test_the_command_line_of_bubblewrap(tmp_path: Path) -> None:
    walls = Walls((tmp_path,), (tmp_path / "..",), limits=Limits(file_bytes=1000))
    plan = LaunchPlan(
        "bubblewrap", ("/bin/cat", "x"), walls, {"A": "secret"}, {}, Path("/dev/shm"), 1, "/usr/bin/bwrap"
    )
    command = bubblewrap.command(plan, 9)
    assert command[:5] == ["/usr/bin/bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop"]
    assert "secret" not in command
    text = " ".join(command)
    assert "--proc /proc --dev /dev --size 1000 --tmpfs /dev/shm" in text
    assert f"--ro-bind {tmp_path} {tmp_path}" in text and "--ro-bind /usr /usr" in text
    assert f"--bind {tmp_path}/.. {tmp_path}/.." in text
    assert text.endswith("--chdir /dev/shm --seccomp 9 -- /bin/cat x")
    with_network = msgspec.structs.replace(plan, walls=msgspec.structs.replace(walls, network=True))
    assert "--share-net" in bubblewrap.command(with_network, 9)
